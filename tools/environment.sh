# Sourced by the other tools. Makes a virtual environment with swift-lb, a real Swift and what the
# lab wants; changes nothing outside the checkout.
#
#   environment FOLDER EXTRAS [REQUIREMENT ...]    e.g. environment .venv bench,lab,test 'swift==2.33.1'
#
# Installs again only when what is to be installed has changed.
#
# What Debian has and the Python registry has not is unpacked into the folder where the system has
# none: memcached, by `environment`; by chromium_here a browser for the tests of the agents' page;
# by name_servers_here the DNS servers and clients that ours is tested with, and compared to; by
# haproxy_here what the bench of dispatchers compares ours to.

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
    PATH="$PWD/$VENV/bin:$PATH:/usr/sbin"   # where Debian has servers, and few people have it
    export PATH
    memcached_here
}

memcached_here() {
    debian_here memcached memcached \
        'the lab runs without it, has no authentication, and asks two more servers for each read' \
        'usr/bin/memcached -h'
}

chromium_here() {
    command -v chromium >/dev/null && return
    debian_here chromium chromium-headless-shell "the tests of the agent's page are skipped" \
        'usr/lib/chromium/chromium-headless-shell --version'
}

name_servers_here() {
    debian_here 'name servers' \
        'unbound bind9 bind9-dnsutils nsd knot dnsmasq-base pdns-server pdns-backend-bind dnsperf' \
        'the tests of swift-lb-dns behind resolvers are skipped' \
        'usr/sbin/unbound -V' 'usr/sbin/named -V' 'usr/bin/dig -v' 'usr/sbin/nsd -v' \
        'usr/sbin/knotd --version' 'usr/sbin/dnsmasq --version' 'usr/sbin/pdns_server --help' \
        'usr/bin/dnsperf -h'
}

haproxy_here() {
    debian_here haproxy haproxy 'the bench of dispatchers does not run' 'usr/sbin/haproxy -v'
}

debian_here() {
    # NAME 'PACKAGE ...' 'what is without them' 'PROGRAM OPTION' ...   with the option it must run
    local name=$1 packages=$2 without=$3 mark=$VENV/${1// /-} program lacking=()
    shift 3
    for program; do
        command -v "$(basename "${program% *}")" >/dev/null || lacking+=("$program")
    done
    [ ${#lacking[@]} -gt 0 ] || return 0
    [ -e "$mark.refused" ] && return
    if unpack "$packages" "${lacking[@]}" >"$mark.log" 2>&1; then
        echo "Unpacked Debian's $name into $VENV."
    else
        touch "$mark.refused"
        echo "No $name, and Debian's could not be had (apt-get install $packages):"
        echo "$without."
    fi
}

unpack() {
    local packages=$1 into="$PWD/$VENV/debian" libraries program path failed=0
    shift
    download "$packages" "$into/archives" || return 1
    for path in "$into"/archives/*.deb; do dpkg -x "$path" "$into" || return 1; done
    rm -f "$into"/archives/*.deb
    libraries=$(find "$into" -name '*.so*' -printf '%h\n' | sort -u | paste -sd:)
    for program; do
        path="$VENV/bin/$(basename "${program% *}")"
        cat > "$path" <<END
#!/bin/sh
LD_LIBRARY_PATH="$libraries" exec "$into/${program% *}" "\$@"
END
        chmod +x "$path"
        "$path" "${program#* }" || { rm -f "$path"; failed=1; }
    done
    return $failed
}

download() {
    # The packages, and what they need and the system has not.
    local packages=$1 folder=$2 wanted
    wanted() {
        apt-get install --simulate --no-install-recommends $packages |
            awk '$1 == "Inst" { print $2 }'
    }
    mkdir -p "$folder"
    (
        cd "$folder" || exit 1
        { wanted=$(wanted) && [ -n "$wanted" ] && apt-get download $wanted; } ||
            { apt-get update && wanted=$(wanted) && apt-get download $wanted; }
    )
}

OLDEST=2.33.1
oldest_environment() {
    # Swift 2.33 still imports pkg_resources through its dependencies: setuptools 80 dropped it.
    environment .venv/oldest bench,lab,test "swift==$OLDEST" 'setuptools<80'
}
