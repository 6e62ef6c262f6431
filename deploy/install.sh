#!/usr/bin/env bash
# Installs the Debian package of the robot, after a look at the computer. Starts no service and moves no servo.
#   deploy/install.sh --check-only           only looks
#   deploy/install.sh hexapod_VERSION.deb    looks, then installs
set -euo pipefail

problems=0
say() { printf '%-8s %s\n' "$1" "$2"; }
problem() { say problem "$1"; printf '         -> %s\n' "$2"; problems=$((problems + 1)); }

# The bus that the services use.
bus() {
    local HEXAPOD_BUS=
    # shellcheck source=package/hexapod.default
    [ ! -r /etc/default/hexapod ] || . /etc/default/hexapod
    echo "${HEXAPOD_BUS:-i2c}"
}

wrong() { printf '%s\nusage: %s --check-only | PACKAGE.deb\n' "$1" "$0" >&2; exit 2; }
case ${1:-} in
    --check-only) ;;
    -h | --help) sed -n '2,4s/^# //p' "$0"; exit 0 ;;
    '') wrong "there is no package given" ;;
    -*) wrong "$1: there is no such option" ;;
    *.deb) [ -f "$1" ] || wrong "$1: there is no such file; \`cargo xtask package\` builds it" ;;
    *) wrong "$1: is not a package; give a file that ends in .deb" ;;
esac

# What has to be there before `hexapod doctor` can run at all.
[ -r /etc/os-release ] && . /etc/os-release
distribution=jazzy
[ "${VERSION_ID:-}" = 26.04 ] && distribution=lyrical
case "${ID:-}${VERSION_ID:-}" in
    ubuntu24.04 | ubuntu26.04) say ok "$PRETTY_NAME" ;;
    *) say note "${PRETTY_NAME:-this system}: packages are built for Ubuntu 24.04 and 26.04" ;;
esac
case $(uname -m) in
    x86_64 | aarch64) say ok "$(uname -m)" ;;
    *) problem "there are no packages for $(uname -m)" "install a 64-bit system" ;;
esac
if [ -n "${ROS_DISTRO:-}" ] && [ "$ROS_DISTRO" != "$distribution" ]; then
    problem "ROS 2 $ROS_DISTRO is sourced, and packages are for $distribution" "source /opt/ros/$distribution/setup.bash   # in a new shell"
elif [ -e "/opt/ros/$distribution/setup.bash" ] || [ -n "${ROS_DISTRO:-}" ]; then
    say ok "ROS 2 $distribution"
else
    problem "ROS 2 $distribution is not installed" "https://docs.ros.org/en/$distribution/Installation/Ubuntu-Install-Debs.html"
fi

# What can be seen without it; `hexapod doctor` looks closer.
look_further() {
    local memory_kb group
    memory_kb=$(awk '/^MemTotal:/ {print $2}' /proc/meminfo)
    if [ "$memory_kb" -lt 900000 ]; then
        problem "$((memory_kb / 1024)) MB of memory" "use a computer with 1 GB or more"
    else
        say ok "$((memory_kb / 1024)) MB of memory"
    fi
    if compgen -G '/dev/i2c-*' >/dev/null || compgen -G '/dev/serial/by-id/*' >/dev/null; then
        say ok "buses: $(echo /dev/i2c-* /dev/serial/by-id/* | sed 's#[^ ]*\*##g')"
    else
        say note "no /dev/i2c-* and no serial adapter; on a Pi: sudo raspi-config nonint do_i2c 0"
    fi
    for group in i2c gpio dialout; do
        getent group "$group" >/dev/null || continue
        id -nG | tr ' ' '\n' | grep -qx "$group" || [ "$(id -u)" = 0 ] ||
            say note "you are not in the group $group: sudo usermod -aG $group $USER, then log in again"
    done
    say note "hexapod is not installed; its \`hexapod doctor\` looks further: boards, servos, power, real-time limits"
}

if [ "${1:-}" != --check-only ]; then
    [ "$problems" = 0 ] || exit 1
    sudo apt-get install -y "$(realpath "$1")"
    hexapod doctor --bus "$(bus)" || say note "installed; the problems above are left"
elif command -v hexapod >/dev/null; then
    hexapod doctor --bus "$(bus)" || problems=$((problems + 1))
else
    look_further
fi
[ "$problems" = 0 ]
