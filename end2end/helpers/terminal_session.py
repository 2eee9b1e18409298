"""A session of an agent in a terminal, and what a person does with it in the page."""
import time

from helpers.verbatim import until


class TerminalSession:
    """`model` has `asked(words)`, which waits until the model was asked with them and returns when it was. A session in `known` is
    another one."""

    def __init__(self, person, model, known=()):
        self.person, self.model = person, model
        listed = until("the session", lambda: [
            session for session in person.call("GET", "/v1/sessions")["sessions"] if session["id"] not in known])
        self.id, self.key = listed[0]["id"], listed[0]["agent_session_id"]

    def agent(self):
        """The agent, as the page shows it; empty for one that nothing here has."""
        try:
            return self.person.call("GET", f"/v1/sessions/{self.id}/agent")
        except AssertionError:
            # It answers with 409.
            return {}

    def is_in(self, state, holder="terminal"):
        def look():
            agent = self.agent()
            return agent if (agent.get("state"), agent.get("held_by")) == (state, holder) else None
        return until(f"the state {state}, held by {holder}", look)

    def tell(self, action):
        return self.person.call("POST", f"/v1/sessions/{self.id}/agent/tell", {"action": action})

    def write(self, words):
        return self.person.call("POST", f"/v1/sessions/{self.id}/messages", {"content": words}, 201)

    def withdraw(self, message):
        self.person.call("PATCH", f"/v1/sessions/{self.id}/messages/{message['id']}", {"status": "retracted"})

    def waiting(self, *words):
        """Waits until exactly these messages wait for the agent, and returns them."""
        return until(f"{len(words)} that wait", lambda: [
            waiting for waiting in [self.agent().get("waiting", [])] if [message["text"] for message in waiting] == [*words]])[0]

    def reaches(self, words):
        began = time.monotonic()
        self.write(words)
        print(f"    from the post to the model's request: {self.model.asked(words) - began:.2f} s")

    def said(self, words):
        """The messages with these words: who says them, and how they stand."""
        messages = self.person.call("GET", f"/v1/sessions/{self.id}/messages?limit=500&dev=1")["messages"]
        return [(message["role"], message["status"]) for message in messages if message["content"] == words]

    def is_one(self, words):
        until(f"one message `{words}`", lambda: self.said(words) == [("user", "final")])
