# For sed -E: makes a generated man page one that man can find, as git names its own: sharedauth-status.
/^\.(Dt|Xr) /s/([[:alpha:]])\.([[:alpha:]])/\1-\2/g
# The name is one word, and the synopsis keeps two.
/^\.Nm "/{
    h
    s/"//g
    s/ /-/2
}
/^\.Nm$/{
    x
    s/^$/.Nm/
}
# A page has no empty line, but paragraphs.
s/^$/.Pp/
