"""Renders the recipe for conda-forge on each platform of the wheels; nothing is built.

python conda/check.py
"""

from pathlib import Path

from rattler_build import PlatformConfig, RenderConfig, Stage0Recipe, VariantConfig

PLATFORMS = ("linux-64", "linux-aarch64", "osx-64", "osx-arm64", "win-64")
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
VARIANTS = {
    "python": [f"{version}.* *_cp{version.replace('.', '')}" for version in PYTHONS],
    "c_stdlib": ["sysroot"],
    "c_stdlib_version": ["2.17"],
}


def main() -> None:
    """Render each platform and Python."""
    recipe = Stage0Recipe.from_file(Path(__file__).with_name("recipe.yaml"))
    for platform in PLATFORMS:
        where = RenderConfig(PlatformConfig(target_platform=platform, host_platform=platform))
        found = recipe.render(VariantConfig(VARIANTS), where)
        if len(found) != len(PYTHONS):
            raise SystemExit(f"{platform}: {len(found)} variants of {len(PYTHONS)}.")


if __name__ == "__main__":
    main()
