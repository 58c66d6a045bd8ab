# SPDX-License-Identifier: Apache-2.0
# usage: zsh -f completions.zsh FOLDER CASES   Presses TAB after each line of CASES (up to its "|") in an interactive zsh,
# whose functions stand in FOLDER, and prints what it would offer: a line each, and "." after those of a case.
zmodload zsh/zpty zsh/zselect
folder=$1 cases=$2 answers=$(mktemp)
# What completion adds is written down; `is-over` comes after it, since keys are handled in their order.
set_up='PS1=; fpath=('${(q)folder}' $fpath); autoload -Uz compinit; compinit -u -D
compadd() {
    if [[ " ${@[1,(i)(-|--)]} " == *" -"[a-zA-Z]#[OAD]" "* ]]; then builtin compadd "$@"; return; fi
    local -a hits
    builtin compadd -A hits "$@"
    print -rl -- $hits >>'${(q)answers}'
    builtin compadd "$@"
}
is-over() { print . >>'${(q)answers}'; BUFFER=; }
zle -N is-over; bindkey "^I" complete-word; bindkey "^X" is-over; unsetopt beep; setopt extendedglob; bindkey -r "^X^B"; KEYTIMEOUT=1
print . >>'${(q)answers}
zpty shell zsh -f -i
zpty -w shell $set_up
wait_for() {
    local -i tries=0
    while (( $(grep -c '^\.$' $answers) < $1 )) && (( tries++ < 1000 )); do
        zselect -t 2
        while zpty -rt shell ignored; do :; done
    done
}
wait_for 1
count=1
for line in ${(f)"$(<$cases)"}; do
    zpty -wn shell ${line%%\|*}$'\t'
    zpty -wn shell $'\x18'
    wait_for $((++count))
done
zpty -d shell
sed '1d; /^$/d' $answers
rm -f $answers
