"""`hexapod plot workspace` draws where the feet can go; the README's picture is what it draws."""

import xml.etree.ElementTree as ElementTree

from processes import ROOT

SVG = '{http://www.w3.org/2000/svg}'


def drawn(session, folder, *arguments):
    """Return the picture as text."""
    out = folder / 'out.svg'
    process = session.start('hexapod', 'plot', 'workspace', '--out', str(out), *arguments)
    assert process.wait() == 0, process.log()
    return out.read_text()


def test_when_the_shipped_robot_is_drawn_expect_the_picture_of_the_documentation(session, tmp_path):
    hint = 'hexapod plot workspace --out docs/workspace.svg'
    assert drawn(session, tmp_path) == (ROOT / 'docs' / 'workspace.svg').read_text(), hint
    assert 'workspace.svg' in (ROOT / 'docs' / 'robots.md').read_text()


def test_when_one_leg_is_asked_for_expect_only_that(session, tmp_path):
    root = ElementTree.fromstring(drawn(session, tmp_path, '--leg', 'left_rear', '--height', '0.07'))
    texts = [text.text for text in root.iter(f'{SVG}text')]
    assert 'left_rear' in texts and 'left_front' not in texts
    assert any('70 mm above' in text for text in texts)


def test_when_the_leg_is_unknown_expect_the_known_ones_named(session):
    process = session.start('hexapod', 'plot', 'workspace', '--leg', 'left_frnt')
    assert process.wait() == 2
    assert 'left_front, left_middle' in process.log()
