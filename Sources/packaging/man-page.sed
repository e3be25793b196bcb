# For sed -E: makes a generated man page one that man can find, as git names its own: sharedauth-status.
/^\.(Dt|Xr) /{
    :word
    s/^(\.(Dt|Xr) "?[^. "]+)[. ]([[:alpha:]])/\1-\3/
    t word
    s/"//g
}
# The name is one word, and the synopsis keeps several.
/^\.Nm "/{
    h
    s/"//g
    s/ /-/2g
}
/^\.Nm$/{
    x
    s/^$/.Nm/
}
# A page has no empty line, but paragraphs.
s/^$/.Pp/
