"""A real browser for what is shown in one. A missing one is skipped, loudly; where `CI` is set, it fails.

Invariant: the browser is the machine's own, is told where its driver is, and fetches nothing.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-default-apps",
    "--disable-extensions", "--force-device-scale-factor=1",
)  # fmt: skip
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def places() -> tuple[str, str] | None:
    """Browser and driver, where both are installed."""
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    driver = shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


def required() -> tuple[str, str]:
    """Browser and driver. Skips with how to get them; fails where `CI` is set."""
    found = places()
    if found is not None:
        return found
    missing = (
        "the page is NOT tested: no Chromium with its driver (Debian, Ubuntu: apt install chromium chromium-driver)"
    )
    if os.environ.get("CI"):
        pytest.fail(missing)
    pytest.skip(missing)


class Browser:
    """One window; what it logged and asked the network for since the last `open`."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def open(self, page: Path, *, theme: str = "light", width: int = 1280, height: int = 900) -> None:
        """Load a page from the disk, in a theme and at a width."""
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": theme}]}
        )
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
        )
        self.logged()
        self.asked_for()
        self.driver.get(page.as_uri())

    def js(self, script: str, *arguments: object) -> Any:
        """Run a script as a debugger would, past the page's own policy."""
        return self.driver.execute_script(script, *arguments)

    def logged(self) -> list[str]:
        """What stands on the console."""
        return [entry["message"] for entry in self._log("browser")]

    def _log(self, name: str) -> list[dict[str, Any]]:
        entries: list[dict[str, Any]] = self.driver.get_log(name)  # type: ignore[no-untyped-call]
        return entries

    def asked_for(self) -> list[str]:
        """Addresses that were asked of the network, in order; without those that the page's policy kept back."""
        found: dict[str, str] = {}
        for entry in self._log("performance"):
            message = json.loads(entry["message"])["message"]
            about = message["params"]
            if message["method"] == "Network.requestWillBeSent":
                found[about["requestId"]] = about["request"]["url"]
            elif message["method"] == "Network.loadingFailed" and about.get("blockedReason") == "csp":
                found.pop(about["requestId"], None)
        return list(found.values())

    def screenshot(self, path: Path) -> None:
        """The whole page, however long."""
        import base64

        size = self.js("return [document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
        clip = {"x": 0, "y": 0, "width": size[0], "height": min(size[1], 8000), "scale": 1}
        shot = self.driver.execute_cdp_cmd(
            "Page.captureScreenshot", {"format": "png", "clip": clip, "captureBeyondViewport": True}
        )
        path.write_bytes(base64.b64decode(shot["data"]))


@contextmanager
def started(profile: Path) -> Iterator[Browser]:
    """A browser with a profile of its own, gone afterwards."""
    browser, driver = required()
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    window = webdriver.Chrome(options=options, service=Service(driver))
    try:
        yield Browser(window)
    finally:
        window.quit()
