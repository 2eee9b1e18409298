"""From `pip install` of a wheel to a page with a session, as a person goes: counts the questions on the way."""
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import urllib.request

began = time.monotonic()
programs = pathlib.Path(sys.executable).parent
subprocess.run(
    [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", sys.argv[1]],
    stdin=subprocess.DEVNULL,
    check=True,
)
installed = time.monotonic()

# Without an input it can ask nothing in the terminal.
server = subprocess.Popen(
    [programs / "verbatim", "serve", "--listen", "127.0.0.1:0"],
    stdin=subprocess.DEVNULL,
    stdout=subprocess.PIPE,
    text=True,
)
try:
    link = server.stdout.readline().split()[-1]
    origin, code = link.split("/#c=")

    cookie = secret = ""

    def ask(method, path, body=None):
        headers = {"Origin": origin, "Sec-Fetch-Site": "same-origin", "Content-Type": "application/json"}
        if cookie:
            headers |= {"Cookie": cookie, "X-Verbatim-Secret": secret}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(origin + path, data, headers, method=method)
        with urllib.request.urlopen(request) as answer:
            return answer.headers, answer.read().decode()

    headers, answer = ask("POST", "/v1/login", {"code": code})
    cookie, secret = headers["Set-Cookie"].split(";")[0], json.loads(answer)["secret"]

    questions = 0
    title = re.compile(r'href="/s/[^"]')
    while not title.search(ask("GET", "/")[1]):
        if time.monotonic() - began > 120:
            sys.exit("no session after two minutes")
        time.sleep(0.1)
        folders = json.loads(ask("GET", "/v1/projects")[1])["projects"]
        if any(folder["state"] == "waiting" for folder in folders):
            questions += 1
            ask("PUT", "/v1/projects", {"state": "following", "paths": []})
    shown = time.monotonic()
    print(f"installed in {installed - began:.1f} s, first session after {shown - began:.1f} s; questions: {questions}")
finally:
    server.terminate()
    server.wait()
