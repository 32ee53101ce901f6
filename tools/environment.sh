# Sourced by the other tools. Makes a virtual environment with swift-lb, a real Swift and what the
# lab wants; changes nothing outside the checkout.
#
#   environment FOLDER EXTRAS [REQUIREMENT ...]    e.g. environment .venv bench,lab,test 'swift==2.33.1'
#
# chromium_here has a browser for the tests of the agents' page, in the same way.
#
# Installs again only when what is to be installed has changed. memcached, which Debian has and the
# Python registry has not, is unpacked into the folder where the system has none.

environment() {
    VENV=$1
    local extras=$2 stamp
    shift 2
    stamp=$({ cat setup.cfg setup.py requirements.txt pyproject.toml; echo "$extras" "$@"; } | sha256sum)
    # Leave no caches in the checkout.
    export PYTHONPYCACHEPREFIX="$PWD/.venv/pycache" RUFF_CACHE_DIR="$PWD/.venv/ruff"
    export HYPOTHESIS_STORAGE_DIRECTORY="$PWD/.venv/hypothesis"
    if [ ! -x "$VENV/bin/pip" ]; then
        echo "Making $VENV ..."
        python3 -m venv "$VENV" || {
            echo "python3 -m venv failed; on Debian: apt-get install python3-venv" >&2; exit 1; }
    fi
    if [ "$(cat "$VENV/swift-lb.stamp" 2>/dev/null)" != "$stamp" ]; then
        echo "Installing swift-lb and Swift into $VENV (a minute or two) ..."
        "$VENV/bin/pip" install -q --disable-pip-version-check -e ".[$extras]" "$@" || {
            echo "pip could not install swift-lb; the lines above say why" >&2; exit 1; }
        rm -rf swift_lb.egg-info  # the build's; the installed one is in $VENV
        echo "$stamp" > "$VENV/swift-lb.stamp"
    fi
    PATH="$PWD/$VENV/bin:$PATH"
    export PATH
    memcached_here
}

memcached_here() {
    command -v memcached >/dev/null && return
    [ -e "$VENV/memcached.refused" ] && return
    if unpack_memcached >"$VENV/memcached.log" 2>&1; then
        echo "Unpacked Debian's memcached into $VENV."
    else
        touch "$VENV/memcached.refused"
        echo "No memcached, and Debian's could not be had (apt-get install memcached): the lab runs"
        echo "without it, has no authentication, and asks two more servers for each read."
    fi
}

unpack_memcached() {
    local into="$PWD/$VENV/debian"
    mkdir -p "$into"
    (
        cd "$into" || exit 1
        apt-get download memcached libevent-2.1-7 ||
            { apt-get update && apt-get download memcached libevent-2.1-7; } || exit 1
        for package in *.deb; do dpkg -x "$package" . || exit 1; done
        rm -f ./*.deb
    ) || return 1
    cat > "$VENV/bin/memcached" <<END
#!/bin/sh
LD_LIBRARY_PATH=\$(echo "$into"/usr/lib/*-linux-gnu) exec "$into/usr/bin/memcached" "\$@"
END
    chmod +x "$VENV/bin/memcached"
    "$VENV/bin/memcached" -h || { rm -f "$VENV/bin/memcached"; return 1; }
}

chromium_here() {
    command -v chromium chromium-headless-shell >/dev/null && return
    [ -e "$VENV/chromium.refused" ] && return
    if unpack_chromium >"$VENV/chromium.log" 2>&1; then
        echo "Unpacked Debian's chromium-headless-shell into $VENV."
    else
        touch "$VENV/chromium.refused"
        echo "No chromium, and Debian's could not be had (apt-get install chromium): the tests of the"
        echo "agent's page are skipped."
    fi
}

unpack_chromium() {
    local into="$PWD/$VENV/debian" missing
    mkdir -p "$into/archives"
    missing() {
        apt-get install --simulate --no-install-recommends chromium-headless-shell |
            awk '$1 == "Inst" { print $2 }'
    }
    (
        cd "$into/archives" || exit 1
        { wanted=$(missing) && [ -n "$wanted" ] && apt-get download $wanted; } ||
            { apt-get update && wanted=$(missing) && apt-get download $wanted; } || exit 1
        for package in *.deb; do dpkg -x "$package" .. || exit 1; done
        rm -f ./*.deb
    ) || return 1
    cat > "$VENV/bin/chromium-headless-shell" <<END
#!/bin/sh
LD_LIBRARY_PATH=$(find "$into" -name '*.so*' -printf '%h\n' | sort -u | paste -sd:) exec "$into/usr/lib/chromium/chromium-headless-shell" "\$@"
END
    chmod +x "$VENV/bin/chromium-headless-shell"
    "$VENV/bin/chromium-headless-shell" --version ||
        { rm -f "$VENV/bin/chromium-headless-shell"; return 1; }
}

OLDEST=2.33.1
oldest_environment() {
    # Swift 2.33 still imports pkg_resources through its dependencies: setuptools 80 dropped it.
    environment .venv/oldest bench,lab,test "swift==$OLDEST" 'setuptools<80'
}
