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
// There are several kinds, held to the same probes:
//
//	bubblewrap  where bwrap is installed
//	namespaces  this program executes itself again inside new user, mount, process,
//	            network, ipc and host name spaces and confines itself with landlock
//	gvisor      runsc, kept in such name spaces of ours: commands meet a kernel of their
//	            own and never the machine's; slower to start, and at files
//	docker      a container of Docker or Podman for each command, from an image that is
//	            named: its programs are seen, not the machine's
//	none        confines nothing, and has to be asked for by name
//
// All that confine have the same seccomp filter, the same limits and the same environment.
// In gvisor and docker this program is the first process inside and sets them itself; it
// is shown at /run/box, so for docker it has to be a static build, at a path that the
// engine knows. Where the inside of one kind differs without being any freer, a probe asks
// for what it is there to protect; each such place says why. An engine lets nobody hide
// the kernel's command line, /sys (read-only) and its own control groups from a container;
// the other kinds show none of them.
//
// Open fails closed: it runs the probes inside the very kind that it is going to use, and
// if one of them fails it returns no Sandbox but an *Unavailable, which says why and what to
// do about it.
//
// When the program runs as root, commands run as uid 65534 of the machine; give them a
// workspace with Own first. Otherwise they run as the caller. Inside, both are uid 1000;
// in docker they keep the machine's number, so that they can write the workspace.
//
// The kernel counts memory and processes, or this program does, twenty times a second: all
// kinds' memory, and gVisor's processes, since its kernel does not limit them. Threads are
// not counted there; they cost memory. There, /tmp and /home/box hold a quarter of the
// memory each, elsewhere a gigabyte or as much as the memory.
//
// Run returns when the whole tree of processes is dead: also what was sent to the
// background, what holds on to stdout, and what left its session. A death of this program,
// kill -9 included, kills every command with it. In docker the first process inside ends
// when a pipe from here does; what an engine kept nevertheless is removed by the next Open
// on the machine.
//
// Limits hold in these ways, whatever the kind, and Describe says which of them there are:
//
//	Time       by the clock, and by RLIMIT_CPU for each process
//	Memory     of all processes together, with what lies in /tmp: by a control group
//	           (cgroup v2 where it was delegated to us, or v1, which is root's); else by
//	           looking at all of them 20 times a second, and the files in memory are
//	           bounded apart
//	Processes  by RLIMIT_NPROC, and by a control group where there is one
//	FileSize   by RLIMIT_FSIZE
//	Output     by whoever reads it
//	Disk,      by looking: 20 times a second at what is free on the file system, and, once
//	Files      enough went of that, at what was written since in the workspace and the
//	           mounts that may be written, with files that have no name any more but are
//	           open. A command that was faster is
//	           found out when it ends, and what it wrote stays
//
// Control groups need nobody's help: they are made under the program's own group where
// the machine lets us, left out where not, removed after each command, and swept at the
// next start where the program was killed. There a command also gets less processor time
// than the program itself. The kind none has neither them nor rlimits.
//
// Some kinds execute this program again, to be the first process inside or on the way there.
// Each such package sees that in its init, and takes over there: what the rest of the program
// initializes (regular expressions, lexers) would take each command tens of milliseconds. So
// these packages import nothing that does that.
//
// A kind is a package with a backend.Backend and an entry in the tables of kinds_linux.go
// and kinds_other.go (package backend says what else):
// bubblewrap, namespaces, gvisor, docker and unconfined. They share initproc (this program
// as the first process inside), rootfs, lockdown, seccomp, user and process. A Cmd adds
// what is the same for all: toolchain (environment), bridge (the way out), cgroup and
// diskwatch (limits), and probe, which is tried in a kind before it is used.
package sandbox
