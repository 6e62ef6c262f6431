"""Measured figures, shown as a table when the tests are done."""

_figures = []


def note(name, value, unit, target=None):
    """Keep a figure for the table at the end; `target` is what the project aims at, tests allow for busy machines."""
    _figures.append((name, value, unit, target))


def table():
    """Return the lines of the table."""
    width = max((len(name) for name, *_ in _figures), default=0)
    return [line(width, *figure) for figure in _figures]


def line(width, name, value, unit, target):
    """Return one line: name, value, what was aimed at."""
    aim = '' if target is None else f'   (target {target:g} {unit})'
    return f'{name:<{width}}  {value:>10.4g} {unit}{aim}'
