package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The user that commands are, outside when the program runs as root, and inside always.
const (
	outsideID = 65534
	insideID  = 1000
)

// The most that a command may fill of what is kept in memory.
const (
	tmpSize = 1 << 30
	shmSize = 64 << 20
)

// A layout is the file system that a command sees, as all kinds but docker build it: links, then
// the system, then /proc, /dev, /tmp and /home/box, then toolchains, the workspace and
// mounts, then files; at last the root is made read-only.
type layout struct {
	Links  [][2]string // target, path
	System []bind
	Binds  []bind
	Files  []insideFile
	Fill   int64 // how much /tmp and /home/box hold, each
}

// A bind shows a path of the machine.
type bind struct {
	Host     string
	Inside   string
	Writable bool
}

// An insideFile is a small file that is made for the command.
type insideFile struct {
	Inside string
	Mode   uint32
	Data   []byte
	source *os.File // instead of Data: its content, from the start
}

// etcFiles are those of the machine's that programs need and that tell nothing of it.
var etcFiles = []string{
	"/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime",
	"/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/ca-certificates", "/etc/pki", "/etc/mime.types", "/etc/protocols", "/etc/services",
	"/etc/java", "/etc/python3", "/etc/perl", "/etc/fonts",
}

// ownEtc are files that would name the machine's people and servers.
var ownEtc = []insideFile{
	{Inside: "/etc/passwd", Mode: 0o444, Data: []byte("box:x:1000:1000:box:/home/box:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n")},
	{Inside: "/etc/group", Mode: 0o444, Data: []byte("box:x:1000:\nnogroup:x:65534:\n")},
	{Inside: "/etc/hosts", Mode: 0o444, Data: []byte("127.0.0.1 localhost box\n::1 localhost box\n")},
	{Inside: "/etc/nsswitch.conf", Mode: 0o444, Data: []byte("passwd: files\ngroup: files\nhosts: files\n")},
	{Inside: "/etc/resolv.conf", Mode: 0o444, Data: nil},
}

// layout is what the job's command sees.
func (j *job) layout() layout {
	var l layout
	l.addSystem()
	l.Fill = min(tmpSize, j.limits.Memory/2) // what lies there is in memory, and there are two
	for _, dir := range j.tools.dirs {
		l.Binds = append(l.Binds, bind{Host: dir, Inside: dir})
	}
	l.Binds = append(l.Binds, bind{Host: j.workspace, Inside: "/src", Writable: !j.cmd.ReadOnly})
	mounts := slices.Clone(j.cmd.Mounts)
	slices.SortStableFunc(mounts, func(a, b Mount) int { return strings.Count(a.Inside, "/") - strings.Count(b.Inside, "/") })
	for _, m := range mounts {
		l.Binds = append(l.Binds, bind{Host: m.Host, Inside: filepath.Clean(m.Inside), Writable: m.Writable})
	}
	l.Files = append(slices.Clone(ownEtc), j.cmd.files...)
	return l
}

// addSystem shows the machine's programs: /usr, with what leads into it, and for
// machines where /bin and /lib are directories of their own, those.
func (l *layout) addSystem() {
	l.System = append(l.System, bind{Host: "/usr", Inside: "/usr"})
	for _, dir := range []string{"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store"} {
		info, err := os.Lstat(dir)
		if err != nil {
			continue
		}
		if info.Mode()&os.ModeSymlink == 0 {
			l.System = append(l.System, bind{Host: dir, Inside: dir})
			continue
		}
		if target, err := os.Readlink(dir); err == nil {
			l.Links = append(l.Links, [2]string{target, dir})
		}
	}
	for _, file := range etcFiles {
		if _, err := os.Stat(file); err == nil {
			l.System = append(l.System, bind{Host: file, Inside: file})
		}
	}
}
