#!/bin/bash
# The functions that DevStack's manual promises to plug-ins, as far as this
# one uses them: https://docs.openstack.org/devstack/latest/plugins.html

function run_phase {
    # run_phase MODE [PHASE]
    case $1 in
        override_defaults) source "$PLUGIN_ROOT/devstack/override-defaults" ;;
        source) source "$PLUGIN_ROOT/devstack/settings" ;;
        *) source "$PLUGIN_ROOT/devstack/plugin.sh" "$@" ;;
    esac
}

function define_plugin {
    :
}

function enable_service {
    ENABLED_SERVICES+=",$1"
}

function is_service_enabled {
    if [[ $1 == swift ]]; then
        [[ ,$ENABLED_SERVICES == *,s-* ]]
    else
        [[ ,$ENABLED_SERVICES, == *,$1,* ]]
    fi
}

function trueorfalse {
    # trueorfalse DEFAULT NAME: prints the variable NAME as True or False.
    local value=${!2:-$1}
    case ${value,,} in
        1 | yes | true) echo True ;;
        *) echo False ;;
    esac
}

function die {
    # die LINE WORD ...
    echo "${*:2}" >&2
    exit 1
}

function get_python_exec_prefix {
    echo "$DEST/bin"
}

function setup_develop {
    # The test has installed the package; its name is to be where DevStack
    # looks for it.
    grep -q '^name.*=' "$1/setup.cfg"
    echo "$1" > "$DEST/status/installed"
}

function run_process {
    # run_process SERVICE COMMAND: COMMAND begins with an absolute path, and is
    # run without a shell.
    local service=$1 words
    read -r -a words <<< "$2"
    if is_service_enabled "$service"; then
        [[ ${words[0]} == /* ]] || die $LINENO "${words[0]}: not absolute"
        background "$service" "${words[@]}"
    fi
}

function stop_process {
    if is_service_enabled "$1"; then
        end "$1"
    fi
}

function iniget {
    # iniget FILE SECTION OPTION
    awk -v section="[$2]" -v option="$3" '
        /^\[/ { inside = $0 == section }
        inside && $1 == option && $2 == "=" {
            sub(/^[^=]*=[ \t]*/, ""); print; exit
        }' "$1"
}

function iniset {
    # iniset FILE SECTION OPTION VALUE: replaces the option, or adds it at the
    # end of the section, or the section at the end of FILE.
    touch "$1"
    awk -v section="[$2]" -v option="$3" -v value="$4" '
        function add() { print option " = " value; done = 1 }
        /^\[/ { if (inside && !done) add(); inside = $0 == section }
        inside && !done && $1 == option && $2 == "=" { add(); next }
        { print }
        END {
            if (done) exit
            if (!inside) print "\n" section
            add()
        }' "$1" > "$1.ini"
    cat "$1.ini" > "$1"
    rm "$1.ini"
}
