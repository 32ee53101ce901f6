# Sourced by the other tools: makes .venv with swift-lb, a real Swift and what the lab wants.
#
#   environment EXTRAS [CONSTRAINT]    e.g. environment lab,test ; installs again only if need be
#
# Changes nothing outside the checkout: memcached, which Debian has and the registry has not, is
# unpacked into .venv where the system has none.

VENV=.venv

environment() {
    local extras=$1 stamp
    stamp=$(cat setup.cfg requirements.txt pyproject.toml | sha256sum | cut -c1-16)
    if [ ! -x "$VENV/bin/python" ]; then
        echo "Making $VENV ..."
        python3 -m venv "$VENV" || {
            echo "python3 -m venv failed; on Debian: apt-get install python3-venv" >&2; exit 1; }
    fi
    if [ "$(cat "$VENV/swift-lb.$extras" 2>/dev/null)" != "$stamp" ]; then
        echo "Installing swift-lb and Swift into $VENV (a minute or two) ..."
        "$VENV/bin/pip" install -q --disable-pip-version-check -e ".[$extras]" || {
            echo "pip could not install swift-lb; the lines above say why" >&2; exit 1; }
        echo "$stamp" > "$VENV/swift-lb.$extras"
    fi
    PATH="$PWD/$VENV/bin:$PATH"
    export PATH
    memcached_here
}

memcached_here() {
    command -v memcached >/dev/null && return
    [ -e "$VENV/memcached.refused" ] && return
    if unpack_memcached >/dev/null 2>&1; then
        echo "Unpacked Debian's memcached into $VENV."
    else
        touch "$VENV/memcached.refused"
        echo "No memcached, and Debian's could not be had (apt-get update; apt-get download memcached):"
        echo "the lab runs without, has no authentication, and each read costs two more requests."
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
    "$VENV/bin/memcached" -h
}
