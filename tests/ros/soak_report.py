"""The report of a soak: a page of markdown, and the memory's graph as an SVG beside it."""

import statistics
import subprocess

import figures
from processes import ROOT
from soak_memory import growth, GROWTH_MB, slope_per_hour, SLOPE_MB_H, verdict

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 800, 260, 60, 30, 20
POINTS = 2000
# So many stops tell what 99 of 100 take, and how long that may be.
ENOUGH, STOP_P99_S = 100, 0.02


def one_line(chronicle, memory, seconds):
    """Return how far a soak is."""
    events, violations = sum(chronicle.counts.values()), len(chronicle.violations)
    return (f'{clock(chronicle.elapsed())} of {clock(seconds)}, {events} events, {violations} violations, '
            f'{memory.latest_mb():.1f} MB')


def clock(seconds):
    """Return seconds as hours, minutes and seconds."""
    minutes, seconds = divmod(int(seconds), 60)
    return f'{minutes // 60}:{minutes % 60:02}:{seconds:02}'


def write(asked, chronicle, memory, robot, listener, outputs):
    """Write the report and its graph, print its summary, and return whether all is as it should be."""
    wrong = verdict(memory) + slow_stops(outputs)
    graph = asked.report.with_suffix('.svg')
    asked.report.parent.mkdir(parents=True, exist_ok=True)
    graph.write_text(svg(memory))
    summary = [
        f'- seed {asked.seed}, version {version()}, {clock(chronicle.elapsed())}, '
        f'{sum(chronicle.counts.values())} events',
        f'- {len(chronicle.violations)} violations',
        f'- {memory_line(memory)}' + ''.join(f'; **{each}**' for each in wrong),
        f'- longest way back to walking: {max(map(max, robot.recoveries.values()), default=0.0):.1f} s; '
        f'largest diagnostics {listener.largest_diagnostics} bytes',
    ]
    asked.report.write_text('\n'.join([
        '# Soak', '', *summary, '', '## Memory', '', f'![Resident memory]({graph.name})', '',
        *events(chronicle, robot), *stops(outputs), *lateness(listener), *violations(chronicle)]) + '\n')
    print('\n'.join(summary))
    for each in chronicle.violations[:20]:
        print(f'violation at {each.at:.2f} s: {each.what}: {each.detail[:300]}')
    return not chronicle.violations and not wrong


def version():
    """Return what git calls this version."""
    found = subprocess.run(['git', 'describe', '--always', '--dirty', '--tags'], cwd=ROOT, capture_output=True, text=True)
    return found.stdout.strip() or 'unknown'


def memory_line(memory):
    """Return what the process that lived longest used."""
    name, samples, warm = memory.longest()
    if len(warm) < 2:
        return f'{name} lived {samples[-1].age:.0f} s, too short to tell its growth'
    aim = f'growth at most {GROWTH_MB:g} MB' if memory.short else f'below {SLOPE_MB_H:g} MB/h'
    return (f'{name} lived {clock(samples[-1].age)}: {slope_per_hour(warm):+.2f} MB/h by least squares, '
            f'{growth(warm):+.2f} MB from the first third to the last ({aim}), {warm[0].mb:.1f} to {warm[-1].mb:.1f} MB, '
            f'threads {warm[0].threads} to {warm[-1].threads}, open files {warm[0].files} to {warm[-1].files}')


def events(chronicle, robot):
    """Return the table of events."""
    rows = [f'| {kind} | {count} | {recovery(robot.recoveries.get(kind, []))} |'
            for kind, count in sorted(chronicle.counts.items())]
    head = ['## Events, and the way back to walking', '', '| event | times | median, longest way back |', '|---|---|---|']
    return [*head, *rows, '']


def recovery(times):
    """Return median and longest of some times."""
    return f'{statistics.median(times):.1f} s, {max(times):.1f} s' if times else ''


def slow_stops(outputs):
    """Return what is wrong with the times from stops to OE, where there are enough of them to tell."""
    every = sorted(took for times in outputs.latencies.values() for took in times)
    if len(every) < ENOUGH or p99(every) <= STOP_P99_S * figures.BUSY:
        return []
    return [f'stop to OE, p99 of {len(every)}: {1e3 * p99(every):.1f} ms']


def p99(times):
    """Return the value that 99 of 100 do not pass."""
    return sorted(times)[(len(times) - 1) * 99 // 100]


def stops(outputs):
    """Return the table of times from a stop to OE, by what stopped."""
    ways = sorted(outputs.latencies.items(), key=lambda way: -max(way[1]))
    rows = [f'| {why} | {len(times)} | {1e3 * statistics.median(times):.1f} | {1e3 * p99(times):.1f} | {1e3 * max(times):.1f} |'
            for why, times in ways]
    head = ['## Stops', '', 'Time to OE, ms.', '', '| stop | times | median | p99 | greatest |', '|---|---|---|---|---|']
    return [*head, *rows, '']


def lateness(listener):
    """Return the table of lateness."""
    rows = [f'| {node} | {median:.0f} | {most:.0f} |' for node, median, most in listener.lateness_table()]
    head = ['## Lateness', '', 'p99 of a second, us, from the diagnostics.', '', '| node | median | greatest |', '|---|---|---|']
    return [*head, *rows, '']


def violations(chronicle):
    """Return all violations with what happened in the 10 s before."""
    lines = ['## Violations', '']
    for each in chronicle.violations:
        lines += [f'### {each.at:.2f} s: {each.what}', '', '```', each.detail, '```', '']
        lines += [f'- {at:.2f} s {words}' for at, words in each.history] + ['']
    return lines if chronicle.violations else [*lines, 'None.']


def svg(memory):
    """Return the memory of the process that lived longest as a graph."""
    name, samples, _ = memory.longest()
    samples = samples[::len(samples) // POINTS + 1] or [None]
    if samples == [None]:
        return '<svg xmlns="http://www.w3.org/2000/svg"/>'
    most_age, most_mb = max(samples[-1].age, 1.0), 1.2 * max(each.mb for each in samples)

    def at(age, mb):
        x = LEFT + (WIDTH - LEFT - 10) * age / most_age
        return f'{x:.1f},{HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * mb / most_mb:.1f}'

    line = ' '.join(at(each.age, each.mb) for each in samples)
    corner, floor = at(0.0, most_mb), HEIGHT - BOTTOM
    top = corner.split(',')[1]
    return '\n'.join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<path d="M{LEFT} {top}V{floor}H{WIDTH - 10}" fill="none" stroke="gray"/>',
        f'<text x="{LEFT - 5}" y="{TOP + 4}" text-anchor="end">{most_mb:.0f} MB</text>',
        f'<text x="{LEFT - 5}" y="{floor}" text-anchor="end">0</text>',
        f'<text x="{WIDTH - 10}" y="{HEIGHT - 10}" text-anchor="end">{clock(most_age)}</text>',
        f'<text x="{LEFT}" y="{HEIGHT - 10}">resident memory of {name}</text>',
        f'<polyline points="{line}" fill="none" stroke="steelblue" stroke-width="1.5"/>',
        '</svg>', ''])
