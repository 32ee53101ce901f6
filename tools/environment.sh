# Sourced by the other tools. Creates a virtual environment with swift-lb, a real Swift and the
# programs that the lab needs. Changes nothing outside the checkout.
#
#   environment FOLDER EXTRAS [ARGUMENT OF pip install ...]
#   environment .venv/oldest bench,lab,test 'swift==2.33.1'
#
# Installs again only if the requirements have changed. PYTHON is the interpreter of a new
# environment, by default python3.
#
# Programs that are Debian packages, and that the system lacks, are unpacked into the folder:
# memcached by `environment`; the lint of manual pages by `mandoc_here`; a shell that completes lines
# by `zsh_here`; a browser for the tests of the agents' page by `chromium_here`; the DNS servers and
# clients that swift-lb-dns is tested with, and compared to, by `name_servers_here`; HAProxy, to which
# a benchmark compares the dispatcher, by `haproxy_here`.

environment() {
    VENV=$1
    local extras=$2 stamp
    shift 2
    stamp=$({ cat setup.cfg setup.py requirements.txt pyproject.toml; echo "$extras" "$@"; } | sha256sum)
    # Caches belong into .venv, not into the checkout. Images of containers often forbid Python to
    # write its own: then each process compiles all that it imports, Python's library included.
    unset PYTHONDONTWRITEBYTECODE
    export PYTHONPYCACHEPREFIX="$PWD/.venv/pycache" RUFF_CACHE_DIR="$PWD/.venv/ruff"
    export HYPOTHESIS_STORAGE_DIRECTORY="$PWD/.venv/hypothesis"
    if [ ! -x "$VENV/bin/pip" ]; then
        echo "Making $VENV ..."
        "${PYTHON:-python3}" -m venv "$VENV" || {
            echo "python3 -m venv failed; on Debian: apt-get install python3-venv" >&2; exit 1; }
    fi
    if [ "$(cat "$VENV/swift-lb.stamp" 2>/dev/null)" != "$stamp" ]; then
        echo "Installing swift-lb and Swift into $VENV (a minute or two) ..."
        # The build leaves its egg-info there: two environments may be installed at once.
        printf '[egg_info]\negg_base = %s\n' "$PWD/$VENV" > "$VENV/build.cfg"
        DIST_EXTRA_CONFIG="$PWD/$VENV/build.cfg" \
            "$VENV/bin/pip" install -q --disable-pip-version-check -e ".[$extras]" "$@" || {
            echo "pip could not install swift-lb; the lines above say why" >&2; exit 1; }
        echo "$stamp" > "$VENV/swift-lb.stamp"
    fi
    PATH="$PWD/$VENV/bin:$PATH:/usr/sbin"   # Debian installs servers in /usr/sbin
    export PATH
    memcached_here
}

memcached_here() {
    debian_here memcached memcached \
        'without it the lab has no authentication, and each read costs two more requests' \
        'usr/bin/memcached -h'
}

chromium_here() {
    command -v chromium >/dev/null && return
    debian_here chromium chromium-headless-shell "without it the tests of the agents' page are skipped" \
        'usr/lib/chromium/chromium-headless-shell --version'
}

mandoc_here() {
    debian_here mandoc mandoc 'without it the test of the lint of manual pages is skipped' \
        'usr/bin/mandoc /dev/null'
}

zsh_here() {
    debian_here zsh zsh 'without it the test of the completion for zsh is skipped' 'bin/zsh --version'
}

name_servers_here() {
    debian_here 'name servers' \
        'unbound bind9 bind9-dnsutils nsd knot dnsmasq-base pdns-server pdns-backend-bind dnsperf' \
        'without them the tests of swift-lb-dns behind resolvers are skipped' \
        'usr/sbin/unbound -V' 'usr/sbin/named -V' 'usr/bin/dig -v' 'usr/sbin/nsd -v' \
        'usr/sbin/knotd --version' 'usr/sbin/dnsmasq --version' 'usr/sbin/pdns_server --help' \
        'usr/bin/dnsperf -h'
}

haproxy_here() {
    debian_here haproxy haproxy 'without it the benchmark of dispatchers does not run' 'usr/sbin/haproxy -v'
}

debian_here() {
    # debian_here NAME 'PACKAGE ...' CONSEQUENCE 'PROGRAM OPTION' ...
    # Each program must run with its option. CONSEQUENCE is printed if the packages are unavailable.
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
        echo "$name: not installed, and the Debian packages could not be downloaded"
        echo "(apt-get install $packages): $without."
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
    # Downloads the packages and those of their dependencies that the system lacks.
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

python_of() {
    # python_of VERSION: prints the path of that Python, of PATH or of pyenv; fails if there is none.
    local path
    for path in $(type -ap "python$1") "$HOME/.pyenv/versions/$1".*/bin/"python$1"; do
        [[ "$path" != */shims/* && -x "$path" ]] && echo "$path" && return
    done
    return 1
}

OLDEST=2.33.1
oldest_environment() {
    # Dependencies of Swift 2.33 import pkg_resources, which setuptools 80 removed.
    environment .venv/oldest bench,lab,test "swift==$OLDEST" 'setuptools<80'
}
