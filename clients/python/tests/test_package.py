"""The package as a whole: types, names, examples."""

import re
import subprocess
import sys
from pathlib import Path

import verbatim_sdk
from verbatim_sdk import (
    ApprovalRequest,
    AsyncApprovalRequest,
    AsyncQuestion,
    AsyncSession,
    AsyncStreaming,
    AsyncVerbatim,
    AsyncWatch,
    Question,
    Session,
    Streaming,
    Verbatim,
    Watch,
)

FOLDER = Path(__file__).parents[1]
RUST = FOLDER.parents[1] / "crates/sdk/src"


def public(cls):
    return {name for name in dir(cls) if not name.startswith("_")}


def test_it_passes_mypy_strict():
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", "/dev/null", "src", "tests/typed_use.py"]
    check = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True)
    assert check.returncode == 0, check.stdout + check.stderr


def test_both_clients_have_the_same_calls():
    pairs = [
        (Verbatim, AsyncVerbatim),
        (Session, AsyncSession),
        (Question, AsyncQuestion),
        (ApprovalRequest, AsyncApprovalRequest),
        (Streaming, AsyncStreaming),
        (Watch, AsyncWatch),
    ]
    assert [sorted(public(blocking) ^ public(other)) for blocking, other in pairs] == [[]] * len(pairs)


def test_it_has_the_calls_of_the_rust_sdk():
    files = {
        "verbatim.rs": [Verbatim],
        "session.rs": [Session, Verbatim],
        "session/updating.rs": [Session],
        "session/question.rs": [Question, ApprovalRequest],
        "session/streaming.rs": [Streaming],
    }
    for file, classes in files.items():
        calls = set(re.findall(r"pub async fn (\w+)", (RUST / file).read_text()))
        assert calls and calls <= set().union(*map(public, classes)), file


def test_every_public_name_is_documented():
    for name in verbatim_sdk.__all__:
        thing = getattr(verbatim_sdk, name)
        assert thing.__doc__ or not isinstance(thing, type), name
        for call in public(thing) if isinstance(thing, type) and thing.__module__.startswith("verbatim_sdk._") else ():
            assert getattr(thing, call).__doc__, f"{name}.{call}"


def test_the_first_example_runs(server, owner, monkeypatch, meanwhile):
    monkeypatch.setenv("VERBATIM_URL", server.url)
    monkeypatch.setenv("VERBATIM_KEY", server.key)
    example = re.search(r"```python\n(.*?)```", (FOLDER / "README.md").read_text(), re.DOTALL).group(1)
    indented = "".join(f"    {line}".rstrip() + "\n" for line in example.splitlines())
    assert indented in verbatim_sdk.__doc__, "README and documentation have the same first example"

    def answer():
        while not (found := server.local("GET", "/v1/sessions?agent=nightly-bot")["sessions"]):
            pass
        owner.asked(found[0]["id"])
        owner.write(found[0]["id"], "Tomorrow")

    meanwhile(answer)
    exec(compile(example, "README.md", "exec"), {})
    (session,) = server.local("GET", "/v1/sessions?agent=nightly-bot")["sessions"]
    assert session["state"] == "done"
    assert server.contents(session["id"])[-2:] == ["Tomorrow", "Understood: Tomorrow"]


def test_every_example_of_the_readme_compiles():
    for example in re.findall(r"```python\n(.*?)```", (FOLDER / "README.md").read_text(), re.DOTALL):
        compile(example, "README.md", "exec", flags=__import__("ast").PyCF_ALLOW_TOP_LEVEL_AWAIT)
