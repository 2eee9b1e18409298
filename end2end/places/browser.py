"""The session's page in Chromium."""
import os
import re

from playwright.sync_api import sync_playwright

from helpers.verbatim import PATIENCE


class Browser:
    """Somebody who is logged in, with one page."""

    def __init__(self, verbatim):
        self.playwright = sync_playwright().start()
        self.chromium = self.playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox", "--disable-gpu"])
        self.page = self.chromium.new_page(viewport={"width": 1280, "height": 800})
        self.page.set_default_timeout(PATIENCE * 1000)
        self.url = verbatim.url
        self.visit(verbatim.link)

    def visit(self, url):
        self.page.goto(url)
        self.page.wait_for_selector("html[data-ready]", state="attached")

    def start(self, agent, folder):
        """Starts an agent, and returns its session's id."""
        self.visit(f"{self.url}/new")
        self.page.get_by_label("Agent", exact=True).select_option(agent)
        self.page.get_by_label("Folder", exact=True).fill(str(folder))
        self.page.get_by_role("button", name="Start").click()
        self.page.wait_for_url(re.compile("/s/"))
        self.page.wait_for_selector("html[data-ready]", state="attached")
        return re.split("[?#]", self.page.url.split("/s/")[1])[0]

    def reload(self):
        self.visit(self.page.url)

    def say(self, text):
        self.page.get_by_label("Message", exact=True).fill(text)
        self.page.get_by_role("button", name=re.compile("^Send(?! now)")).click()

    def asks(self, request, _):
        return self.page.locator(f'form[data-decide="{request}"]').is_visible()

    def decide(self, request, options, allows):
        option = options["allow_once" if allows else "reject_once"]
        self.page.locator(f'form[data-decide="{request}"] button[name=option][value="{option}"]').click()

    def history(self):
        """The names of the articles that show a message."""
        articles = self.page.locator("#transcript article[data-id]")
        return articles.evaluate_all("articles => articles.map((article) => article.getAttribute('aria-label'))")

    def end(self):
        self.chromium.close()
        self.playwright.stop()
