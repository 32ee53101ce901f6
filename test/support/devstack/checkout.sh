#!/bin/bash
# The functions of the DevStack in DEVSTACK_DIR. Its lib/swift then configures
# and starts Swift. What needs root, a network or other services is replaced:
# sudo, systemctl, packages, clones, disks, Keystone.

TOP_DIR=$DEVSTACK_DIR
FILES=$DEVSTACK_DIR/files
SERVICE_PROTOCOL=http
SERVICE_TIMEOUT=60
SERVICE_LISTEN_ADDRESS=$HOST_IP
SERVICE_LOCAL_HOST=$HOST_IP
SWIFT_HASH=devstack
SWIFT_AUTH_CACHE_DIR=$DEST/cache
SYSLOG=False
# swift-init starts programs that it finds on the PATH.
PATH=$DEST/bin:$PATH

source "$DEVSTACK_DIR/functions"

SYSTEMD_DIR=$DEST/systemd
DEVSTACK_PLUGINS=swift-lb
GITDIR[swift-lb]=$PLUGIN_ROOT

function sudo {
    # Runs a command as it is, if its last word is not a path, or one of the
    # test's.
    case ${!#} in
        "$DEST"* | "$DATA_DIR"*) "$@" ;;
        /*) [[ $1 != tee ]] || cat > /dev/null ;;
        *) "$@" ;;
    esac
}

function systemctl {
    # systemctl VERB UNIT: a unit is enabled while its process is there.
    local verb=$1 unit=${2:-} service command words
    service=${unit#devstack@}
    service=${service%.service}
    case $verb in
        start)
            command=$(iniget "$SYSTEMD_DIR/$unit" Service ExecStart)
            read -r -a words <<< "$command"
            background "$service" "${words[@]}"
            ;;
        stop) end "$service" ;;
        is-enabled) [[ -e $DEST/status/$service.pid ]] ;;
    esac
}

function create_disk {
    # create_disk IMAGE MOUNT SIZE
    mkdir -p "$2"
}

function restart_service {
    [[ $1 != memcached ]] || start_memcached
}

function setup_develop {
    echo "$1" > "$DEST/status/installed"
}

function get_python_exec_prefix {
    echo "$DEST/bin"
}

function is_ubuntu {
    return 1
}

# What a test does without. stop_swift's pkill would end all processes of the
# machine with "swift-" in their command; swift-init has ended the test's.
for name in configure_keystone_authtoken_middleware destroy_disk git_clone \
    install_package pip_install pkill start_service; do
    eval "function $name { :; }"
done
