"""Report paths to files: what is found, what is refused, and why."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gpuadvisor.source.files import decode, read_text
from gpuadvisor.source.paths import SourceResolver
from gpuadvisor.source.report_path import common_suffix, components, strip_prefix
from gpuadvisor.source.walk import index_files

KERNEL = "__global__ void k(float* x) {\n    x[threadIdx.x] = 1.f;\n}\n"


def write(path: Path, text: str = KERNEL) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_longest_suffix_wins(tmp_path: Path) -> None:
    write(tmp_path / "other" / "kernel.cu", "int x;\n")
    wanted = write(tmp_path / "proj" / "src" / "kernel.cu")
    found = SourceResolver([tmp_path]).resolve("/build/agent7/proj/src/kernel.cu")
    assert found.file == str(wanted)
    assert (found.origin, found.state, found.verified) == ("disk", "exact", False)
    assert found.text == KERNEL


def test_tie_is_broken_by_content(tmp_path: Path) -> None:
    write(tmp_path / "a" / "kernel.cu", "int a;\n")
    wanted = write(tmp_path / "b" / "kernel.cu")
    found = SourceResolver([tmp_path]).resolve("/x/kernel.cu", KERNEL.replace("\n", "\r\n"))
    assert found.file == str(wanted)
    assert found.verified
    assert found.state == "exact"


def test_tie_without_content_maps_nothing(tmp_path: Path) -> None:
    write(tmp_path / "a" / "kernel.cu")
    write(tmp_path / "b" / "kernel.cu")
    found = SourceResolver([tmp_path]).resolve("/x/kernel.cu")
    assert found.origin == "none"
    assert found.state == "missing"
    assert "any of 2 files" in found.problems[0].message
    assert "--map" in found.problems[0].hint


def test_edited_file_is_moved(tmp_path: Path) -> None:
    write(tmp_path / "src" / "kernel.cu", "// new\n" + KERNEL)
    found = SourceResolver([tmp_path]).resolve("/home/me/src/kernel.cu", KERNEL)
    assert (found.origin, found.state) == ("disk", "moved")


def test_same_name_other_program(tmp_path: Path) -> None:
    write(tmp_path / "main.cu", "\n".join(f"int unrelated_{i};" for i in range(30)))
    found = SourceResolver([tmp_path]).resolve("/elsewhere/main.cu", KERNEL)
    assert found.origin == "embedded"
    assert found.text == KERNEL
    assert "other contents" in found.problems[0].message


def test_mapping_goes_before_suffix(tmp_path: Path) -> None:
    write(tmp_path / "work" / "src" / "kernel.cu", "int wrong;\n")
    wanted = write(tmp_path / "mapped" / "kernel.cu")
    resolver = SourceResolver([tmp_path / "work"], {"/ci/src": str(tmp_path / "mapped")})
    assert resolver.resolve("/ci/src/kernel.cu").file == str(wanted)


def test_longer_mapping_goes_first(tmp_path: Path) -> None:
    write(tmp_path / "a" / "lib" / "kernel.cu", "int wrong;\n")
    wanted = write(tmp_path / "b" / "kernel.cu")
    mappings = [("/ci", str(tmp_path / "a")), ("/ci/lib", str(tmp_path / "b"))]
    assert SourceResolver([], mappings).resolve("/ci/lib/kernel.cu").file == str(wanted)


def test_mapping_of_one_file(tmp_path: Path) -> None:
    wanted = write(tmp_path / "renamed.cu")
    resolver = SourceResolver([], {"/ci/kernel.cu": str(wanted)})
    assert resolver.resolve("/ci/kernel.cu").file == str(wanted)


def test_mapping_matches_whole_parts() -> None:
    assert strip_prefix("/ci/srclib/k.cu", "/ci/src") is None
    assert strip_prefix("/ci/src/k.cu", "/ci/src/") == ("k.cu",)
    assert strip_prefix("C:\\Work\\src\\k.cu", "c:/work") == ("src", "k.cu")
    assert strip_prefix("D:\\work\\k.cu", "C:\\work") is None
    assert strip_prefix("ci/src/k.cu", "/ci") is None


def test_windows_report_on_any_system(tmp_path: Path) -> None:
    wanted = write(tmp_path / "Proj" / "Kernel.cu")
    found = SourceResolver([tmp_path]).resolve("C:\\Users\\me\\proj\\kernel.cu")
    assert found.file == str(wanted)


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("/a/./b//c.cu", ("a", "b", "c.cu")),
        ("../../etc/passwd", ("etc", "passwd")),
        ("/a/../../b.cu", ("b.cu",)),
        ("\\\\?\\C:\\a\\b.cu", ("a", "b.cu")),
        ("\\\\server\\share\\b.cu", ("server", "share", "b.cu")),
        ("C:/a/b.cu", ("a", "b.cu")),
    ],
)
def test_components(path: str, parts: tuple[str, ...]) -> None:
    assert components(path) == parts


def test_common_suffix_is_by_part() -> None:
    assert common_suffix(("a", "b.cu"), ("xa", "b.cu"), False) == 1
    assert common_suffix(("A", "b.cu"), ("a", "B.cu"), True) == 2


def test_absolute_report_path_is_not_followed(tmp_path: Path) -> None:
    secret = write(tmp_path / "outside" / "secret.txt", "password\n")
    root = tmp_path / "root"
    root.mkdir()
    found = SourceResolver([root], beside=[root]).resolve(str(secret))
    assert found.origin == "none"
    assert found.text is None


def test_climbing_path_stays_inside(tmp_path: Path) -> None:
    write(tmp_path / "secret.cu", "password\n")
    root = tmp_path / "root"
    write(root / "x.cu")
    for path in ("../secret.cu", "a/../../secret.cu", str(root / ".." / "secret.cu")):
        assert SourceResolver([root], {"a": str(root)}).resolve(path).text is None


def test_link_out_of_the_root_is_refused(tmp_path: Path) -> None:
    secret = write(tmp_path / "outside" / "secret.cu", "password\n")
    root = tmp_path / "root"
    root.mkdir()
    os.symlink(secret, root / "kernel.cu")
    os.symlink(secret.parent, root / "dir")
    resolver = SourceResolver([root], {"/m": str(root)}, beside=[root])
    for path in ("/x/kernel.cu", "/m/kernel.cu", "/m/dir/secret.cu", "dir/secret.cu"):
        found = resolver.resolve(path)
        assert found.text is None, path
    assert "by a link" in resolver.resolve("/m/kernel.cu").problems[0].message


def test_link_inside_the_root_counts(tmp_path: Path) -> None:
    real = write(tmp_path / "real.cu")
    os.symlink(real, tmp_path / "kernel.cu")
    assert SourceResolver([tmp_path]).resolve("/x/kernel.cu").text == KERNEL


def test_file_beside_the_report(tmp_path: Path) -> None:
    wanted = write(tmp_path / "reports" / "kernel.cu")
    write(tmp_path / "reports" / "deeper" / "other.cu")
    resolver = SourceResolver(beside=[tmp_path / "reports"])
    assert resolver.resolve("/build/kernel.cu").file == str(wanted)
    assert resolver.resolve("/build/deeper/other.cu").origin == "none"


def test_file_beside_the_report_breaks_a_tie(tmp_path: Path) -> None:
    write(tmp_path / "copy" / "kernel.cu")
    wanted = write(tmp_path / "reports" / "kernel.cu")
    resolver = SourceResolver([tmp_path], beside=[tmp_path / "reports"])
    assert resolver.resolve("/build/kernel.cu", KERNEL).file == str(wanted)


def test_too_large_falls_back_to_the_embedded_text(tmp_path: Path) -> None:
    write(tmp_path / "kernel.cu", KERNEL * 10)
    found = SourceResolver([tmp_path], max_bytes=100).resolve("/x/kernel.cu", KERNEL)
    assert found.origin == "embedded"
    assert "over the limit" in " ".join(one.message for one in found.problems)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_no_source(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "kernel.cu")
    assert SourceResolver([tmp_path]).resolve("/x/kernel.cu").origin == "none"
    assert read_text(tmp_path / "kernel.cu").problem is not None


@pytest.mark.parametrize("path", ["", "/", "..", "a\0b.cu", "a\nb.cu", "/x/" + "y" * 5000])
def test_odd_paths(tmp_path: Path, path: str) -> None:
    write(tmp_path / "kernel.cu")
    found = SourceResolver([tmp_path], {"/x": str(tmp_path)}).resolve(path)
    assert found.origin == "none"
    assert found.problems


def test_missing_file_says_how_to_find_it(tmp_path: Path) -> None:
    found = SourceResolver([tmp_path]).resolve("/x/kernel.cu")
    assert found.state == "missing"
    assert "--source" in found.problems[0].hint


def test_walk_skips_what_nobody_edits(tmp_path: Path) -> None:
    write(tmp_path / "src" / "a.cu")
    for folder in (".git", "node_modules", "build", "cmake-build-debug", ".venv"):
        write(tmp_path / folder / "a.cu")
    write(tmp_path / "env" / "pyvenv.cfg", "")
    write(tmp_path / "env" / "a.cu")
    assert index_files(tmp_path).by_name["a.cu"] == [str(tmp_path / "src" / "a.cu")]


def test_walk_is_bounded(tmp_path: Path) -> None:
    for number in range(50):
        write(tmp_path / f"f{number:02}.cu", "")
    index = index_files(tmp_path, max_entries=10)
    assert index.truncated
    assert len(index.by_name) == 10
    found = SourceResolver([tmp_path], max_entries=10).resolve("/x/sub/none.cu")
    assert "--source" in found.problems[0].hint


def test_refresh_sees_new_files(tmp_path: Path) -> None:
    resolver = SourceResolver([tmp_path])
    assert resolver.resolve("/x/deep/kernel.cu").origin == "none"
    write(tmp_path / "a" / "b" / "kernel.cu")
    assert resolver.resolve("/x/deep/kernel.cu").origin == "none"
    resolver.refresh()
    assert resolver.resolve("/x/deep/kernel.cu").origin == "disk"


def test_decode() -> None:
    assert decode(b"\xef\xbb\xbfint x;") == "int x;"
    assert decode("int ü;".encode("utf-16")) == "int ü;"
    assert decode(b"// \xe9\n") == "// é\n"
