#!/bin/bash
# A small Swift, configured as DevStack's lib/swift does: the conf samples of
# the sdist in $SWIFT_DIR, edited; object servers on ports of one address.

: "${SWIFT_REPLICAS:=1}"
: "${SWIFT_DEFAULT_BIND_PORT:=8080}"
: "${SWIFT_DEFAULT_BIND_PORT_INT:=8081}"
SWIFT_SERVICE_PROTOCOL=http
PROXY_PORT=$SWIFT_DEFAULT_BIND_PORT
if is_service_enabled tls-proxy; then
    SWIFT_SERVICE_PROTOCOL=https
    PROXY_PORT=$SWIFT_DEFAULT_BIND_PORT_INT
fi

# One account and container server are enough.
STORAGE=(account/1/6612 container/1/6611)
for number in $(seq "$SWIFT_REPLICAS"); do
    STORAGE+=("object/$number/$((6603 + 10 * number))")
done

function install_swift {
    # Swift is installed; DevStack would clone it to SWIFT_DIR.
    [[ -d $SWIFT_DIR/etc ]]
}

function set_server {
    # set_server FILE PORT: sets the options that all servers have.
    iniset "$1" DEFAULT user "$STACK_USER"
    iniset "$1" DEFAULT swift_dir "$SWIFT_CONF_DIR"
    iniset "$1" DEFAULT bind_ip "$SWIFT_SERVICE_LISTEN_ADDRESS"
    iniset "$1" DEFAULT bind_port "$2"
}

function configure_swift {
    local conf=$SWIFT_CONF_DIR/proxy-server.conf server type number port
    mkdir -p "$SWIFT_CONF_DIR"/{account,container,object}-server
    cp "$SWIFT_DIR/etc/swift.conf-sample" "$SWIFT_CONF_DIR/swift.conf"
    cp "$SWIFT_DIR/etc/proxy-server.conf-sample" "$conf"
    set_server "$conf" "$PROXY_PORT"
    iniset "$conf" DEFAULT workers 1
    iniset "$conf" app:proxy-server account_autocreate true
    iniset "$conf" filter:tempauth reseller_prefix TEMPAUTH
    for server in "${STORAGE[@]}"; do
        IFS=/ read -r type number port <<< "$server"
        conf=$SWIFT_CONF_DIR/$type-server/$number.conf
        cp "$SWIFT_DIR/etc/$type-server.conf-sample" "$conf"
        set_server "$conf" "$port"
        iniset "$conf" DEFAULT workers 0
        iniset "$conf" DEFAULT devices "$SWIFT_DATA_DIR/$number"
        iniset "$conf" DEFAULT mount_check false
        iniset "$conf" DEFAULT disable_fallocate true
    done
}

function init_swift {
    local number
    for number in $(seq "$SWIFT_REPLICAS"); do
        mkdir -p "$SWIFT_DATA_DIR/$number/sdb1"
    done
    mkdir -p "$SWIFT_DATA_DIR/run"
    "$PYTHON" -W ignore "$HERE/rings.py" "$SWIFT_CONF_DIR" "$HOST_IP" \
        "${STORAGE[@]}"
}

function start_swift {
    local server type number
    start_memcached
    for server in "${STORAGE[@]}"; do
        IFS=/ read -r type number _ <<< "$server"
        background "s-$type-$number" "$DEST/bin/swift-$type-server" \
            "$SWIFT_CONF_DIR/$type-server/$number.conf"
    done
    run_process s-proxy \
        "$DEST/bin/swift-proxy-server $SWIFT_CONF_DIR/proxy-server.conf -v"
}

function stop_swift {
    local file
    for file in "$DEST"/status/s-*.pid; do
        end "$(basename "$file" .pid)"
    done
}
