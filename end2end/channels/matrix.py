#!/usr/bin/env python3
"""A session shown and answered in a Matrix room, against a real homeserver (Synapse) on this machine.

    python3 -m venv target/places && target/places/bin/pip install --requirement end2end/places/needs.txt
    VERBATIM_PROGRAM=target/debug/verbatim target/places/bin/python end2end/channels/matrix.py

`SYNAPSE` names another Python that has Synapse. Nothing leaves this machine. Needs Python 3.9 and a Unix.
"""
import json
import pathlib
import shutil
import sys
import tempfile
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from helpers.homeserver import Homeserver, relation, replies  # noqa: E402
from helpers.verbatim import Verbatim, until  # noqa: E402


def test(homeserver, verbatim):
    bot, ada, eve = (homeserver.account(name) for name in ("bot", "ada", "eve"))
    session = "s1"
    verbatim.call("POST", "/v1/sessions", {"agent": "mill-bot", "id": session, "title": "Grind the rye"}, 201)
    settings = {"homeserver": homeserver.url, "access_token": bot.token}
    added = verbatim.call("POST", "/v1/channels", {"kind": "matrix", "settings": settings, "people": {ada.user: "Ada"},
                                                   "sessions": [session]}, 201)
    channel = added["channel"]["id"]
    assert bot.token not in json.dumps(verbatim.call("GET", "/v1/channels")), "a token is never shown again"
    verbatim.call("POST", f"/v1/channels/{channel}/test")
    until("an invitation to the test's room", lambda: ada.invitation("Verbatim test"))

    print("a room for the session, and its messages")
    verbatim.post(session, id="m1", content="I look at the stones.")
    room = until("an invitation", lambda: ada.invitation("Grind the rye"))
    ada.join(room)
    call_ = {"message_type": "TOOL_CALL", "payload": {"tool_name": "Bash", "input": {"command": "ls"}, "output": "rye"}}
    verbatim.post(session, id="m2", message_metadata=call_)
    until("both messages", lambda: len(ada.texts(room, bot.user)) == 2)
    first, tool = [event for event in ada.events(room) if event["type"] == "m.room.message"]
    assert first["content"]["body"] == "I look at the stones.", first
    assert tool["content"]["body"] == "🔧 Bash: ls\n📋 rye", tool
    assert tool["content"]["m.relates_to"]["rel_type"] == "m.thread", tool
    assert tool["content"]["m.relates_to"]["event_id"] == first["event_id"], tool

    print("a growing text is edited in place")
    verbatim.post(session, id="m3", content="The rye", status="streaming")
    until("its beginning", lambda: "The rye" in ada.texts(room, bot.user))
    verbatim.call("PATCH", f"/v1/sessions/{session}/messages/m3", {"append": " is fine.", "status": "final"})
    until("its end", lambda: "* The rye is fine." in ada.texts(room, bot.user))

    print("a person's words, their edit and their deletion")
    said = ada.say(room, "coarser, please")
    until("Ada's words", lambda: any(m["content"] == "coarser, please" for m in verbatim.messages(session)))
    ada.say(room, "* coarser!", **relation("m.replace", said), **{"m.new_content": {"msgtype": "m.text", "body": "coarser!"}})
    until("Ada's edit", lambda: any(m["content"] == "coarser!" for m in verbatim.messages(session)))
    message = next(m for m in verbatim.messages(session) if m["content"] == "coarser!")
    assert (message["sender"], message["sender_name"], message["role"]) == (f"matrix:{ada.user}", "Ada", "user"), message
    ada.redact(room, said)
    until("Ada's deletion", lambda: any(m["status"] == "retracted" for m in verbatim.messages(session)))

    print("a stranger in the room is not heard")
    bot.call("POST", f"/rooms/{urllib.parse.quote(room)}/invite", {"user_id": eve.user})
    eve.join(room)
    eve.say(room, "rm -rf /")
    ada.say(room, "finer")
    until("Ada's words", lambda: any(m["content"] == "finer" for m in verbatim.messages(session)))
    heard = verbatim.messages(session)
    assert not any(m["content"] == "rm -rf /" for m in heard)
    assert not any(m["sender"] == f"matrix:{bot.user}" for m in heard), "our own messages are no news"

    def ask(id, title):
        options = [{"id": "y", "label": "Allow once", "kind": "allow_once"}, {"id": "n", "label": "Deny", "kind": "reject_once"}]
        payload = {"kind": "permission", "title": title, "state": "open", "questions": [{"question": title, "options": options}]}
        verbatim.post(session, id=id, message_metadata={"message_type": "APPROVAL", "payload": payload})
        asked = until(title, lambda: [e for e in ada.events(room) if str(e["content"].get("body", "")).startswith(f"🔐 {title}")])
        until("its delivery", lambda: all(d["state"] == "sent" for d in verbatim.call(
            "GET", f"/v1/channels/{channel}/deliveries")["deliveries"]))
        return asked[0]["event_id"]

    def decision(id):
        payload = next(m for m in verbatim.messages(session) if m["id"] == id)["metadata"]["payload"]
        return payload["state"], payload.get("decision", {}).get("by"), payload.get("decision", {}).get("via")

    print("approvals: by a reaction, by a reply, by a word; once, and by Ada alone")
    asked = ask("a1", "Open the sluice?")
    eve.send(room, "m.reaction", relation("m.annotation", asked, key="👍"))
    ada.send(room, "m.reaction", relation("m.annotation", asked, key="👍"))
    until("the decision", lambda: decision("a1")[0] != "open")
    assert decision("a1") == ("allowed_once", "Ada", "matrix"), decision("a1")
    until("who decided", lambda: any("(allowed once: Allow once) by Ada (matrix)" in t for t in ada.texts(room, bot.user)))
    asked = ask("a2", "Close the sluice?")
    ada.say(room, "2", **replies(asked))
    until("the decision", lambda: decision("a2")[0] != "open")
    assert decision("a2") == ("denied", "Ada", "matrix"), decision("a2")
    ada.say(room, "approve", **replies(asked))
    until("that it is decided", lambda: any("It was already decided" in t for t in ada.texts(room, bot.user)))
    ask("a3", "Stop the wheel?")
    ada.say(room, "yes")
    until("the decision", lambda: decision("a3")[0] != "open")
    assert decision("a3") == ("allowed_once", "Ada", "matrix"), decision("a3")

    print("who invites the bot is let in, or waits for the owner")
    def invite(person, name):
        return person.call("POST", "/createRoom", {"name": name, "preset": "private_chat", "invite": [bot.user]})["room_id"]

    def rooms():
        return {r["name"]: (r["invited_by"], r.get("invitation", False)) for r in verbatim.call("GET", "/v1/rooms")["rooms"]}

    def members(person, room):
        return set(person.call("GET", f"/rooms/{urllib.parse.quote(room)}/joined_members")["joined"])
    barn, den = invite(ada, "The barn"), invite(eve, "The den")
    until("both rooms", lambda: rooms() == {"The barn": (ada.user, False), "The den": (eve.user, True)})
    assert members(ada, barn) == {ada.user, bot.user} and members(eve, den) == {eve.user}
    for number, place in ((2, barn), (3, den)):
        verbatim.call("POST", "/v1/sessions", {"agent": "mill-bot", "id": f"s{number}", "title": f"Room {number}"}, 201)
        verbatim.call("POST", f"/v1/channels/{channel}/sessions", {"session": f"s{number}", "place": place})
        verbatim.post(f"s{number}", content=f"Hello, room {number}")
        until("its first message", lambda: f"Hello, room {number}" in (ada if place == barn else eve).texts(place, bot.user))
    ada.say(barn, "Good morning")
    until("Ada's words", lambda: any(m["content"] == "Good morning" for m in verbatim.messages("s2")))
    shed = invite(eve, "The shed")
    until("the invitation", lambda: rooms() == {"The shed": (eve.user, True)})
    assert verbatim.call("POST", "/v1/rooms/leave", {"channel": channel, "address": shed}) == {"rooms": []}

    print("a homeserver that is down, and a server that is killed: nothing is lost or doubled")
    homeserver.stop()
    for number in range(5):
        verbatim.post(session, id=f"down-{number}", content=f"while it is down {number}")
    until("a failure", lambda: verbatim.call("GET", "/v1/channels")["channels"][0].get("error"))
    verbatim.kill()
    homeserver.start()
    ada.say(room, "while you were away")
    verbatim.start()
    verbatim.call("POST", f"/v1/channels/{channel}/deliveries", {"action": "now"})
    until("what waited", lambda: "while it is down 4" in ada.texts(room, bot.user))
    down = [text for text in ada.texts(room, bot.user) if text.startswith("while it is down")]
    assert down == [f"while it is down {number}" for number in range(5)], down
    until("what Ada said meanwhile", lambda: any(m["content"] == "while you were away" for m in verbatim.messages(session)))
    assert sum(m["content"] == "while you were away" for m in verbatim.messages(session)) == 1
    verbatim.call("DELETE", f"/v1/sessions/{session}/messages/m1")
    until("a retraction", lambda: not any(e["event_id"] == first["event_id"] and e["content"].get("body") for e in ada.events(room)))


def main():
    place = pathlib.Path(tempfile.mkdtemp(prefix="verbatim-matrix-"))
    homeserver = verbatim = None
    try:
        homeserver = Homeserver(place / "synapse")
        verbatim = Verbatim(place / "verbatim", "--channel-host", "127.0.0.1")
        test(homeserver, verbatim)
        print("all of it holds")
    except BaseException:
        for log in place.glob("*/log"):
            print(f"--- {log}", *log.read_text(errors="replace").splitlines()[-25:], sep="\n", file=sys.stderr)
        raise
    finally:
        for started in (verbatim, homeserver):
            if started and started.process.poll() is None:
                started.process.kill()
                started.process.wait()
        shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    main()
