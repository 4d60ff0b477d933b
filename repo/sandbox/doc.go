// Package sandbox runs untrusted commands in a workspace. A Cmd is used like an exec.Cmd. The command gets a
// clean environment, no network, no access to home directories or to the program's files, and its own file
// system:
//
//	/src         the workspace, writable unless Cmd.ReadOnly
//	/tmp         empty at every start, in memory, limited
//	/home/box    the same
//	/usr, /etc   the machine's programs and a few harmless files, read-only
//	Mount.Inside further mounts of the caller, read-only unless Mount.Writable
//
// There are several kinds of sandbox, and the same probes test all that confine:
//
//	bubblewrap  uses bwrap, where it is installed
//	namespaces  this program executes itself again in new user, mount, process, network, ipc, host
//	            and control group name spaces, and confines itself with landlock
//	gvisor      uses runsc, inside such name spaces: commands run on their own kernel and never use
//	            the machine's; slower to start, and at file access
//	docker      a container of Docker or Podman for each command, from a configured image:
//	            commands see the programs of the image, not those of the machine
//	none        confines nothing, and must be configured by name
//
// All kinds that confine have the same seccomp filter, the same limits and the same environment. In gvisor
// and docker, this program is the first process inside and sets them itself. It is mounted at /run/box, so
// for docker it must be a static build, at a path that the engine can access. Where the inside of one kind
// differs from the others without allowing more, the probe checks for the property that it protects; a
// comment at each such place says why. An engine does not allow anyone to hide the kernel's command line,
// /sys (read-only) and the control groups of a container; the other kinds show none of them.
//
// Open fails closed: it runs the probes in a sandbox of the requested kind. If a probe fails, Open returns no
// Sandbox, but an *Unavailable with the reason and a remedy.
//
// If the program runs as root, commands run as uid 65534 of the machine; call Own first to make that user the
// owner of the workspace. Otherwise commands run as the caller. Inside, the uid is 1000 in both cases. In
// docker, commands keep their uid on the machine, so that they can write to the workspace.
//
// Either the kernel counts memory and processes, or this program measures them twenty times a second: the
// memory for all kinds, and the processes for gvisor, because gVisor's kernel does not limit them. There,
// threads are not counted; they cost memory. /tmp and /home/box hold half of the memory limit each, in gvisor
// a quarter, and at most 1 GiB.
//
// Run returns when all processes of the command are dead, including background processes, processes that hold
// stdout open, and processes that left the session. If this program dies, even by kill -9, all commands are
// killed with it. In docker, the first process inside exits when a pipe from this program is closed; if an
// engine keeps a container anyway, the next Open on the machine removes it.
//
// The limits are enforced as follows in every kind. Describe says which of these means are available:
//
//	Time       by the clock, and by RLIMIT_CPU for each process
//	Memory     for all processes together, including files in /tmp: by a control group
//	           (cgroup v2 if it was delegated to this program, or v1, which needs root);
//	           otherwise all processes are measured 20 times a second, and the files in
//	           memory have their own limit
//	Processes  by RLIMIT_NPROC, and by a control group if there is one; in docker by the
//	           engine, in gvisor by measuring
//	FileSize   by RLIMIT_FSIZE
//	Output     by the reader of the pipe
//	Disk,      by measuring the free space of the file system 20 times a second. If enough of
//	Files      it is gone, the files that were written since the start are counted, in the
//	           workspace and in writable mounts, and deleted files that are still open. A
//	           command that was faster is found at its end, and its files stay
//
// Control groups need no setup. They are created below the program's own group if the machine allows it, or
// else not used. They are removed after each command, and at the next start if the program was killed. They
// also limit the share of processor time that all processes of a command get together. The kind none has
// neither control groups nor rlimits.
//
// Some kinds execute this program again as the first process inside, or as a step before it. The packages of
// these kinds detect this in their init function and take over there, because the initialisation of the rest
// of the program (regular expressions, lexers) would cost each command tens of milliseconds. So these
// packages must not import such packages.
//
// A kind is a package with a backend.Backend and an entry in the tables of kinds_linux.go and kinds_other.go
// (see package backend): bubblewrap, namespaces, gvisor, docker and unconfined. They share initproc (this
// program as the first process inside), rootfs, lockdown, seccomp, user and process. Cmd uses packages that
// are the same for all kinds: toolchain (environment), bridge (access to a proxy), cgroup and diskwatch
// (limits), and probe, which tests a kind before it is used.
package sandbox
