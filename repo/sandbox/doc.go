// Package sandbox runs the commands of strangers over a workspace. A Cmd looks like an
// exec.Cmd; what it starts sees an empty environment, no network, no home of anybody,
// none of the program's files, and a file system made for it:
//
//	/src        the workspace, writable unless Cmd.ReadOnly
//	/tmp        empty at every start, in memory, limited
//	/home/box   the same
//	/usr, /etc  the machine's programs and a few harmless files, read-only
//	Mount.Inside whatever the caller adds, read-only unless Mount.Writable
//
// There are several kinds, held to the same probes: bubblewrap, where bwrap is installed;
// namespaces, for which this program executes itself again inside new user, mount,
// process, network, ipc and host name spaces and confines itself with landlock; both with
// the same seccomp filter. none confines nothing and has to be asked for by name.
//
// Open fails closed: it runs the probes inside the very kind that it is going to use, and
// where one of them does not hold there is no Sandbox but an *Unavailable, which says why
// and what to do about it.
//
// When the program runs as root, commands run as uid 65534 of the machine; give them a
// workspace with Own first. Otherwise they run as the caller. Inside, both are uid 1000.
//
// Run returns when the whole tree of processes is dead: also what was sent to the
// background, what holds on to stdout, and what left its session. A death of this program,
// kill -9 included, kills every command with it.
//
// Since the namespaces kind executes the program itself, Main has to be the first call of
// every main and TestMain.
package sandbox
