#!/bin/bash
# Called by stack.sh, unstack.sh and clean.sh with a mode and a phase:
# https://docs.openstack.org/devstack/latest/plugins.html

SWIFT_LB_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
SWIFT_LB_CONF=$SWIFT_CONF_DIR/lb-server.conf
SWIFT_LB_ENDPOINT_FILE=$SWIFT_DATA_DIR/lb-endpoint
SWIFT_LB_DNS_PORT=5300      # port 53 needs root
# A conf with this line has been edited; as it was before, it is kept beside.
SWIFT_LB_MARK="# Edited by the DevStack plug-in of swift-lb; clean undoes it."
SWIFT_LB_KEPT=before-swift-lb

function check_swift_lb {
    # Ends stack.sh with a sentence if local.conf asks for what cannot work.
    if [[ ${SWIFT_USE_MOD_WSGI:-False} == True ]]; then
        die $LINENO "swift-lb needs SWIFT_USE_MOD_WSGI=False: its" \
            "filters and its app work in Swift's own servers, not in Apache."
    fi
    if [[ -n $SWIFT_LB_PEERS && ${#SWIFT_LB_KEY} -lt 16 ]]; then
        die $LINENO "SWIFT_LB_PEERS needs SWIFT_LB_KEY, 16 characters or" \
            "more, the same on all hosts."
    fi
    if [[ $SWIFT_LB_KEY == *[\&\\]* ]]; then
        # iniset gives it to sed, which would put something else in their place.
        die $LINENO "SWIFT_LB_KEY must have no & and no \\, as a key of" \
            "'openssl rand -hex 32' has none."
    fi
}

function mark_swift_lb_conf {
    # mark_swift_lb_conf FILE: keeps a copy of FILE beside it, and marks it,
    # unless it is marked. Makes FILE if there is none.
    local conf=$1
    if grep -qsxF "$SWIFT_LB_MARK" "$conf"; then
        return
    fi
    rm -f "$conf.$SWIFT_LB_KEPT"
    if [[ -e $conf ]]; then
        cp -p "$conf" "$conf.$SWIFT_LB_KEPT"
    fi
    if [[ -s $conf ]]; then
        sed -i "1i $SWIFT_LB_MARK" "$conf"
    else
        (umask 077 && echo "$SWIFT_LB_MARK" > "$conf")
    fi
}

function restore_swift_lb_conf {
    # restore_swift_lb_conf FILE: undoes mark_swift_lb_conf and all later
    # edits, whoever made them, even if FILE has been removed. An unmarked FILE
    # has been written anew since, and stays.
    local conf=$1
    if [[ ! -e $conf ]] || grep -qsxF "$SWIFT_LB_MARK" "$conf"; then
        if [[ -e $conf.$SWIFT_LB_KEPT ]]; then
            mv -f "$conf.$SWIFT_LB_KEPT" "$conf"
        else
            rm -f "$conf"
        fi
    fi
    rm -f "$conf.$SWIFT_LB_KEPT"
}

function insert_swift_lb_filter {
    # insert_swift_lb_filter FILE NAME OLD NEW: in the pipeline of FILE, makes
    # the first word OLD the words NEW, which are OLD and the filter NAME.
    local conf=$1 name=$2 old=$3 new=$4 pipeline
    pipeline=" $(iniget "$conf" pipeline:main pipeline) "
    if [[ $pipeline != *" $name "* ]]; then
        if [[ $pipeline != *" $old "* ]]; then
            die $LINENO "$conf: $name belongs beside $old, which is not in" \
                "the pipeline."
        fi
        pipeline=${pipeline/" $old "/" $new "}
        iniset "$conf" pipeline:main pipeline "${pipeline:1:-1}"
    fi
    iniset "$conf" "filter:$name" use "egg:swift-lb#$name"
}

function install_swift_lb {
    # Swift's confs have been written anew before this; ours begins anew, too.
    restore_swift_lb_conf "$SWIFT_LB_CONF"
    setup_develop "$SWIFT_LB_DIR"
}

function configure_swift_lb_proxy {
    local conf=$SWIFT_CONF_DIR/proxy-server.conf
    mark_swift_lb_conf "$conf"
    iniset "$conf" app:proxy-server use "egg:swift-lb#proxy"
    iniset "$conf" app:proxy-server lb_policy "$SWIFT_LB_POLICY"
    insert_swift_lb_filter "$conf" lb_status \
        proxy-logging "lb_status proxy-logging"
    if [[ $(trueorfalse False SWIFT_LB_DISPATCH) == True ]]; then
        insert_swift_lb_filter "$conf" lb_dispatcher \
            proxy-logging "proxy-logging lb_dispatcher"
        iniset "$conf" filter:lb_dispatcher lb_conf "$SWIFT_LB_CONF"
    fi
    if [[ -n $SWIFT_LB_STATSD_HOST ]]; then
        iniset "$conf" DEFAULT log_statsd_host "$SWIFT_LB_STATSD_HOST"
    fi
}

function configure_swift_lb_storage {
    local conf
    for conf in "$SWIFT_CONF_DIR"/object-server/*.conf; do
        if [[ -e $conf ]]; then
            mark_swift_lb_conf "$conf"
            insert_swift_lb_filter "$conf" lb_report \
                object-server "lb_report object-server"
        fi
    done
}

function set_lb_server {
    # set_lb_server SECTION OPTION VALUE: sets an option of the daemons.
    iniset "$SWIFT_LB_CONF" "$@"
}

function configure_swift_lb_agent {
    local port
    # With tls-proxy this is the internal port, at which Swift itself listens.
    port=$(iniget "$SWIFT_CONF_DIR/proxy-server.conf" DEFAULT bind_port)
    mark_swift_lb_conf "$SWIFT_LB_CONF"
    set_lb_server DEFAULT user "$STACK_USER"
    set_lb_server DEFAULT swift_dir "$SWIFT_CONF_DIR"
    set_lb_server lb-agent node "$HOST_IP"
    set_lb_server lb-agent bind_ip "$HOST_IP"
    set_lb_server lb-agent proxy "$HOST_IP:$port"
    set_lb_server lb-agent proxy_conf "$SWIFT_CONF_DIR/proxy-server.conf"
    set_lb_server lb-agent devices "$SWIFT_DATA_DIR/drives"
    # The user of DevStack cannot write to /var/run/swift.
    set_lb_server lb-agent instruction_file \
        "$SWIFT_DATA_DIR/run/lb-instruction.json"
    if [[ -n $SWIFT_LB_PEERS ]]; then
        set_lb_server lb-agent peers "$SWIFT_LB_PEERS"
    fi
    if [[ -n $SWIFT_LB_KEY ]]; then
        chmod go= "$SWIFT_LB_CONF"
        set_lb_server lb-agent key "$SWIFT_LB_KEY"
    fi
}

function configure_swift_lb_dns {
    local ip number=0 servers="" proxies="" hosts=${SWIFT_LB_PEERS:-$HOST_IP}
    for ip in ${hosts//,/ }; do
        number=$((number + 1))
        servers+="${servers:+, }ns$number.$SWIFT_LB_DNS=$ip"
        proxies+="${proxies:+, }$ip=$ip"
    done
    set_lb_server lb-dns zone "$SWIFT_LB_DNS"
    set_lb_server lb-dns names "swift.$SWIFT_LB_DNS"
    set_lb_server lb-dns ns "$servers"
    set_lb_server lb-dns proxies "$proxies"
    set_lb_server lb-dns proxy_port "$SWIFT_DEFAULT_BIND_PORT"
    set_lb_server lb-dns bind_ip "$HOST_IP"
    set_lb_server lb-dns bind_port "$SWIFT_LB_DNS_PORT"
}

function configure_swift_lb {
    configure_swift_lb_storage
    configure_swift_lb_proxy
    configure_swift_lb_agent
    if [[ -n $SWIFT_LB_DNS ]]; then
        configure_swift_lb_dns
    fi
    verify_swift_lb
}

function verify_swift_lb {
    # Ends stack.sh if a conf has a fault.
    "$(get_python_exec_prefix)/swift-lb" check "$SWIFT_CONF_DIR"
}

function start_swift_lb {
    local bin
    bin=$(get_python_exec_prefix)
    if is_service_enabled s-proxy; then
        run_process lb-agent "$bin/swift-lb-agent $SWIFT_LB_CONF -v"
        run_process lb-dns "$bin/swift-lb-dns $SWIFT_LB_CONF -v"
    fi
}

function write_swift_lb_endpoint {
    local url=$SWIFT_SERVICE_PROTOCOL://$SERVICE_HOST:$SWIFT_DEFAULT_BIND_PORT
    cat > "$SWIFT_LB_ENDPOINT_FILE" <<END
# COSBench workloads find this Swift by it:
#   . $SWIFT_LB_ENDPOINT_FILE
#   swift-lb bench run WORKLOAD.xml --endpoint \$SWIFT_LB_ENDPOINT
SWIFT_LB_ENDPOINT=$url
END
}

function clean_swift_lb {
    local conf
    for conf in "$SWIFT_CONF_DIR"/proxy-server.conf "$SWIFT_LB_CONF" \
        "$SWIFT_CONF_DIR"/object-server/*.conf{,".$SWIFT_LB_KEPT"}; do
        restore_swift_lb_conf "${conf%".$SWIFT_LB_KEPT"}"
    done
    rm -f "$SWIFT_LB_ENDPOINT_FILE"
}

if is_service_enabled swift; then
    case "$1 ${2:-}" in
        "stack pre-install") check_swift_lb ;;
        "stack install") install_swift_lb ;;
        "stack post-config") configure_swift_lb ;;
        # Once more: with the [[post-config]] sections of local.conf.
        "stack extra") verify_swift_lb; start_swift_lb ;;
        "stack test-config") write_swift_lb_endpoint ;;
        "unstack ") stop_process lb-dns; stop_process lb-agent ;;
        "clean ") clean_swift_lb ;;
    esac
fi
