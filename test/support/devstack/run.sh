#!/bin/bash
# run.sh COMMAND ...: runs a function of DevStack as stack.sh, unstack.sh and
# clean.sh do, in a shell with its functions, its Swift, and the plug-in.
#
# It is DevStack's own code if DEVSTACK_DIR names a checkout, else a small
# implementation of what the manual of DevStack's plug-ins says. DEST and
# DATA_DIR are folders of the test, which sets the variables of local.conf.
set -o errexit

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
PLUGIN_ROOT=$(cd "$HERE/../../.." && pwd)
SWIFT_DIR=$DEST/swift
SWIFT_CONF_DIR=$DEST/etc
SWIFT_DATA_DIR=$DATA_DIR/swift
SWIFT_SERVICE_LISTEN_ADDRESS=$HOST_IP
SWIFT_SERVICE_LOCAL_HOST=$HOST_IP
SERVICE_HOST=$HOST_IP
STACK_USER=$(id -un)
MEMCACHED_PORT=11211
: "${ENABLED_SERVICES:=s-proxy,s-object,s-container,s-account}"

function background {
    # background NAME COMMAND ...: starts a process, in a session of its own.
    setsid "${@:2}" > "$DEST/status/$1.log" 2>&1 < /dev/null &
    echo $! > "$DEST/status/$1.pid"
}

function end {
    # end NAME: ends a process of background, and waits until it has ended.
    local file=$DEST/status/$1.pid pid
    if [[ -e $file ]]; then
        pid=$(< "$file")
        kill "$pid" 2> /dev/null || true
        # A process that nobody reaps is there, but has no command.
        while [[ -n $(tr -d '\0' 2> /dev/null < "/proc/$pid/cmdline") ]]; do
            sleep 0.02
        done
        rm "$file"
    fi
}

function start_memcached {
    end memcached
    background memcached memcached -u "$STACK_USER" -l "$HOST_IP" \
        -p "$MEMCACHED_PORT" -U 0
}

function merge_local_conf {
    # Does what [[post-config|FILE]] of a local.conf does, after that phase.
    local conf=$SWIFT_CONF_DIR/lb-server.conf
    iniset "$SWIFT_CONF_DIR/proxy-server.conf" filter:cache \
        memcache_servers "$HOST_IP:$MEMCACHED_PORT"
    iniset "$conf" lb-agent http_ip "$HOST_IP"
    if is_service_enabled lb-dns; then
        iniset "$conf" lb-dns http_ip "$HOST_IP"
    fi
}

if [[ -n ${DEVSTACK_DIR:-} ]]; then
    source "$HERE/checkout.sh"
    LIB_SWIFT=$DEVSTACK_DIR/lib/swift
else
    source "$HERE/contract.sh"
    LIB_SWIFT=$HERE/swift.sh
fi
run_phase override_defaults
source "$LIB_SWIFT"
run_phase source
"$@"
