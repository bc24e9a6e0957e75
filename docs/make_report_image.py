"""Take the picture of the first page of the demo's report: docs/images/report.png.

python docs/make_report_image.py        with thresher and Pillow installed, and Chromium
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

WIDTH, HEIGHT = 1100, 1350  # pixels: the first page, up to the contents
TARGET = Path(__file__).parent / "images" / "report.png"
DEMO = "from thresher.cli.main import main; main()"


def photograph(page: Path, target: Path) -> None:
    """Open a page in Chromium without a window, and save what it shows with few colours."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        raise SystemExit("Chromium is needed, and not on the search path.")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    size = ["--hide-scrollbars", f"--window-size={WIDTH},{HEIGHT}", f"--screenshot={target}"]
    subprocess.run([browser, *options, *size, page.as_uri()], check=True, capture_output=True)
    Image.open(target).convert("RGB").quantize(64).save(target, optimize=True)


def main() -> None:
    """Run the demo, and photograph its report."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-c", DEMO, "demo", "--out", folder], check=True)
        photograph(Path(folder) / "report.html", TARGET)


if __name__ == "__main__":
    main()
