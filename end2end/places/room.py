"""Ada, in the room that the session has in Matrix."""
from helpers.homeserver import relation
from helpers.verbatim import until


class Room:
    def __init__(self, homeserver, verbatim):
        self.bot, self.ada = homeserver.account("bot"), homeserver.account("ada")
        settings = {"homeserver": homeserver.url, "access_token": self.bot.token}
        verbatim.call("POST", "/v1/channels", {"kind": "matrix", "settings": settings, "people": {self.ada.user: "Ada"},
                                               "every_session": True}, 201)

    def join(self):
        self.room = until("an invitation", self.ada.invitation)
        self.ada.join(self.room)

    def say(self, text):
        self.ada.say(self.room, text)

    def asks(self, _, title):
        return any(text.startswith(f"🔐 {title}\n") for text in self.history())

    def decide(self, _request, _options, allows):
        asked = next(event for event, (_, text) in self.messages().items() if text.startswith("🔐 Run"))
        self.ada.send(self.room, "m.reaction", relation("m.annotation", asked, key="👍" if allows else "👎"))

    def messages(self):
        """Sender and text of each message as it is now, by the id of its event."""
        messages = {}
        for event in self.ada.events(self.room):
            content = event["content"]
            related = content.get("m.relates_to", {})
            if event["type"] != "m.room.message":
                continue
            if related.get("rel_type") == "m.replace":
                messages[related["event_id"]] = (event["sender"], content["m.new_content"]["body"])
            else:
                messages[event["event_id"]] = (event["sender"], content["body"])
        return messages

    def history(self):
        return [f"[Ada] {text}" if sender == self.ada.user else text for sender, text in self.messages().values()]
