"""A browser without a window, spoken to by the protocol of its own developer tools: Chromium or Chrome, and no driver.

Commands and events are documents of JSON on two pipes, each ended by a zero byte.
"""

import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PHONE = 390
DESK = 1280
"""Widths of a screen, in CSS pixels."""
PATIENCE = 60
"""Seconds without a word after which the browser counts as dead."""


def found() -> str | None:
    """The browser of this machine, if it has one."""
    return next((path for path in map(shutil.which, NAMES) if path is not None), None)


@attrs.define
class Browser:
    """One page of a running browser, and the events that it has told of since the last page was opened."""

    _commands: int
    _answers: int
    _rest: bytes = b""
    _count: int = 0
    _session: str | None = None
    events: list[dict[str, Any]] = attrs.field(factory=list)

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """What the browser answers to a command; events that come before the answer are kept.

        Raises:
            RuntimeError: the browser refuses the command.
        """
        self._count += 1
        command = {"id": self._count, "method": method, "params": params}
        if self._session is not None:
            command["sessionId"] = self._session
        _write(self._commands, json.dumps(command).encode() + b"\0")
        while True:
            message = self._read()
            if message.get("id") != self._count:
                self.events.append(message)
            elif "error" in message:
                raise RuntimeError(f"{method}: {message['error']['message']}")
            else:
                answer: dict[str, Any] = message["result"]
                return answer

    def begin(self) -> None:
        """Attach to a page and ask for its events."""
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        self.send("Emulation.setScrollbarsHidden", hidden=True)

    def open(self, url: str, width: int, *, dark: bool = False) -> None:
        """Show an address on a screen of a width, and wait until it is loaded and its scripts have begun."""
        self.resize(width)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])
        self.events.clear()
        new = "loaderId" in self.send("Page.navigate", url=url)  # not where an anchor of the same page is asked for
        while new and not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._read())

    def resize(self, width: int) -> None:
        """Show the page on a screen of another width."""
        # As a phone it would show a page that is too wide on a smaller scale, and nobody would see that it is.
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)

    def run(self, script: str) -> Any:
        """The value of an expression of JavaScript on the page; a promise is waited for.

        Raises:
            RuntimeError: the script fails.
        """
        answer = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def picture(self, path: Path, *, whole: bool = False) -> None:
        """Save what the page looks like, the first screen or the whole, as PNG."""
        shot = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(shot["data"]))

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            if not select.select([self._answers], [], [], PATIENCE)[0]:
                raise RuntimeError(f"the browser has not answered for {PATIENCE} s")
            piece = os.read(self._answers, 1 << 16)
            if not piece:
                raise RuntimeError("the browser has ended before it answered")
            self._rest += piece
        message, _, self._rest = self._rest.partition(b"\0")
        told: dict[str, Any] = json.loads(message)
        return told


@contextlib.contextmanager
def browser(program: str) -> Iterator[Browser]:
    """A browser with a profile of its own, which ends with the block."""
    to_it, commands = os.pipe()
    answers, from_it = os.pipe()
    # The browser reads from its third descriptor and writes to its fourth.
    shell = f'exec "$0" "$@" 3<&{to_it} 4>&{from_it}'
    options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe"]
    with tempfile.TemporaryDirectory(prefix="browser-", ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(
            ["bash", "-c", shell, program, *options, f"--user-data-dir={profile}"],
            pass_fds=(to_it, from_it),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_it)
        os.close(from_it)
        try:
            one = Browser(commands, answers)
            one.begin()
            yield one
        finally:
            os.close(commands)
            os.close(answers)
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _write(pipe: int, data: bytes) -> None:
    while data:
        data = data[os.write(pipe, data) :]
