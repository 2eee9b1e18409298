"""Requests made up from `docs/api/openapi.json`, good and bad ones, as each kind of caller.

    VERBATIM_PROGRAM=target/debug/verbatim python end2end/contract/check.py [seconds]

needs `schemathesis`; `cargo xtask test` makes an environment that has it. No answer may be a failure of the server, nor
differ from what the document says of it; what the document forbids must be refused.
"""

import json
import sys
import tempfile
import subprocess
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "end2end/omnara"))

from server import Server  # noqa: E402

CHECKS = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "missing_required_header",
    "unsupported_method",
]
# A stream without an end, and what would end the log-in that the requests are made with.
LEFT_OUT = ["events", "log_out"]
# Where a session is deleted, and comes back: no other request shall miss it.
SPARED = ["/v1/sessions/{session}", "/v1/sessions/{session}/restore"]


def main(seconds):
    server = Server()
    try:
        failed = 0
        for who, headers in callers(server):
            document = known(seeds(server, headers))
            with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
                json.dump(document, file)
                file.flush()
                print(f"======= as {who}", flush=True)
                failed += run(file.name, server.url, headers, mine(document, who), seconds // 3)
        health = server.local("GET", "/v1/health")
        print(f"afterwards: {health['sessions']} sessions", flush=True)
    finally:
        server.close()
    print(f"{failed} failed\n{3 - failed} passed")
    return 1 if failed else 0


def run(file, url, headers, operations, seconds):
    settings = Path(__file__).with_name("schemathesis.toml")
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", settings, "run", file, "--url", url]
    command += ["--checks", ",".join(CHECKS), "--phases", "examples,coverage,fuzzing", "--max-time", str(seconds)]
    command += ["--continue-on-failure", "--generation-database", "none", "--suppress-health-check", "all"]
    command += ["--warnings", "off", "--request-timeout", "20", "--seed", "1"]
    for operation in operations:
        command += ["--include-operation-id", operation]
    for name, value in headers.items():
        command += ["--header", f"{name}: {value}"]
    # It leaves what it found in the folder that it runs in.
    with tempfile.TemporaryDirectory() as folder:
        return 0 if subprocess.run(command, cwd=folder).returncode == 0 else 1


def seeds(server, headers):
    """Something of the caller's own to ask for: by the parameter's name, what is there."""
    as_agent = server.key in headers.get("Authorization", "")
    call = lambda path, body: server.call(server.key if as_agent else server.credential, "POST", path, body)
    make = lambda: call("/v1/sessions", {"agent": "contract"})["id"]
    session = make()
    post = lambda message: call(f"/v1/sessions/{session}/messages", message)["id"]
    typed = lambda kind, payload: {"message_metadata": {"message_type": kind, "payload": payload}}
    messages = [
        post({"id": "said", "content": "Reading the parser"}),
        post({"id": "grows", "content": "It is", "status": "streaming"}),
        post({"id": "todo", **typed("TODO", {"todos": [{"id": "1", "content": "Test", "status": "pending"}]})}),
        post({"id": "asks", **typed("APPROVAL", {"kind": "question", "title": "Go on?", "state": "open"})}),
    ]
    spare_key = server.local("POST", "/v1/keys", {"name": "Spare"})["id"]
    # The list of log-ins names the one that the requests are made with: they shall end another.
    before = log_ins(server)
    log_in(server)
    [spare_login] = log_ins(server) - before
    return {"session": [session], "spare": [make()], "message": messages, "key": [spare_key], "login": [spare_login]}


def log_ins(server):
    return {one["id"] for one in server.local("GET", "/v1/logins")["logins"]}


def known(there):
    """The document, with what is there in place of the names in its paths: nothing else that an address can hold is a bad
    one, since sessions and messages are also named by what the requests themselves make."""
    document = json.loads((ROOT / "docs/api/openapi.json").read_text())
    # Nobody writes to the agent: it would wait for as long as it may.
    del document["components"]["schemas"]["TakePending"]["properties"]["wait"]
    del document["paths"]["/v1/sessions/{session}/pending"]["post"]["requestBody"]["content"]["application/json"]["example"]
    # What anything may stand for can't be of a wrong type, and what is no envelope and no null may be any object.
    schemas = document["components"]["schemas"]
    for schema in schemas.values():
        for name, field in schema.get("properties", {}).items():
            if {} in field.get("anyOf", []):
                schema["properties"][name] = {}
            elif name == "message_metadata" and "anyOf" in field:
                schema["properties"][name] = field["anyOf"][0]
    paths = {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            # Their headers say who they are.
            operation.pop("security", None)
            for parameter in operation.get("parameters", []):
                if parameter.get("in") == "query" and takes_any_text(parameter["schema"]):
                    parameter["schema"] = {"type": "string"}
                    parameter.pop("allowEmptyValue", None)
            for number, address in enumerate(addresses(path, {**there, "session": there["spare"]} if path in SPARED else there)):
                open_names = [p for p in operation.get("parameters", []) if p.get("in") != "path" or p["name"] not in there]
                one = {**operation, "parameters": open_names, "operationId": f"{operation['operationId']}_{number}"}
                paths.setdefault(address, {})[method] = one
    document["paths"] = paths
    return document


def addresses(path, there):
    """A path for each of the things that its names may stand for."""
    for name, values in there.items():
        if f"{{{name}}}" in path:
            return [address for value in values for address in addresses(path.replace(f"{{{name}}}", value), there)]
    return [path]


def takes_any_text(schema):
    if schema.get("type") == "array":
        schema = schema["items"]
    return schema == {"type": "string"}


def mine(document, who):
    """What this caller is asked as. A command may do what a person may; only what a person may not is asked as one."""
    operations = [operation for methods in document["paths"].values() for operation in methods.values()]
    names = []
    for operation in operations:
        access = operation["x-access"] or ["owner"]
        left_out = operation["operationId"].rsplit("_", 1)[0] in LEFT_OUT
        if who in access and not (who == "local" and "owner" in access) and not left_out:
            names.append(operation["operationId"])
    return names


def log_in(server):
    """The cookie and the secret of a new log-in."""
    code = server.local("POST", "/v1/launch-codes", {})["url"].split("#c=")[1]
    request = urllib.request.Request(
        f"{server.url}/v1/login", json.dumps({"code": code}).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request) as answer:
        return answer.headers["Set-Cookie"].split(";")[0], json.load(answer)["secret"]


def callers(server):
    cookie, secret = log_in(server)
    return [
        ("owner", {"Cookie": cookie, "X-Verbatim-Secret": secret, "Origin": server.url}),
        ("local", {"Authorization": f"Bearer {server.credential}"}),
        ("agent", {"Authorization": f"Bearer {server.key}"}),
    ]


if __name__ == "__main__":
    raise SystemExit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 40))
