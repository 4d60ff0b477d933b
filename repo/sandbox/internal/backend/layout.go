package backend

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Maximum sizes in bytes of the file systems in memory.
const (
	TmpSize = 1 << 30
	ShmSize = 64 << 20
)

// A Layout describes the file system that a command sees. All kinds except docker build it in this order:
// links, the system, /proc, /dev, /tmp and /home/box, toolchains, the workspace and mounts, files. Then they
// make the root read-only.
type Layout struct {
	Links  [][2]string // target, path
	System []Bind
	Binds  []Bind
	Files  []File
	Fill   int64 // the size of /tmp and of /home/box in bytes
}

// A Bind makes a path of this machine visible inside.
type Bind struct {
	Host     string
	Inside   string
	Writable bool
}

// A File is a small file that is created for the command.
type File struct {
	Inside string
	Mode   uint32
	Data   []byte
	source *os.File
}

// ProgramFile returns a File with the content of this program. The caller opens source and closes it after
// the command.
func ProgramFile(inside string, source *os.File) File {
	return File{Inside: inside, Mode: 0o555, source: source}
}

// Source returns the open file with the content, or nil if the content is in Data.
func (f File) Source() *os.File { return f.source }

// etcFiles lists patterns of files of the machine that programs need and that reveal nothing about it.
// Debian's Java and Maven read their settings there; Maven's settings.xml may hold passwords.
var etcFiles = []string{
	"/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime",
	"/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/ca-certificates", "/etc/pki", "/etc/mime.types",
	"/etc/protocols", "/etc/services",
	"/etc/java", "/etc/java-*-openjdk", "/etc/maven/m2.conf", "/etc/maven/logging", "/etc/python3",
	"/etc/perl", "/etc/fonts",
}

// ownEtc replaces files that would name users and servers of the machine.
var ownEtc = []File{
	{
		Inside: "/etc/passwd",
		Mode:   0o444,
		Data:   []byte("box:x:1000:1000:box:/home/box:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n"),
	},
	{Inside: "/etc/group", Mode: 0o444, Data: []byte("box:x:1000:\nnogroup:x:65534:\n")},
	{Inside: "/etc/hosts", Mode: 0o444, Data: []byte("127.0.0.1 localhost box\n::1 localhost box\n")},
	{Inside: "/etc/nsswitch.conf", Mode: 0o444, Data: []byte("passwd: files\ngroup: files\nhosts: files\n")},
	{Inside: "/etc/resolv.conf", Mode: 0o444, Data: nil},
}

// NewLayout returns the layout for the job.
func NewLayout(j *Job) Layout {
	var l Layout
	l.addSystem()
	l.Fill = min(TmpSize, j.Limits.Memory/2) // both are in memory
	for _, dir := range j.Toolchains {
		l.Binds = append(l.Binds, Bind{Host: dir, Inside: dir})
	}
	l.Binds = append(l.Binds, Bind{Host: j.Workspace, Inside: "/src", Writable: !j.ReadOnly})
	mounts := slices.Clone(j.Mounts)
	slices.SortStableFunc(mounts,
		func(a, b Mount) int { return strings.Count(a.Inside, "/") - strings.Count(b.Inside, "/") })
	for _, m := range mounts {
		l.Binds = append(l.Binds, Bind{Host: m.Host, Inside: filepath.Clean(m.Inside), Writable: m.Writable})
	}
	l.Files = append(slices.Clone(ownEtc), j.Files...)
	return l
}

// addSystem adds the machine's programs: /usr with the links into it, and /bin, /lib and the like if they are
// directories and not links.
func (l *Layout) addSystem() {
	l.System = append(l.System, Bind{Host: "/usr", Inside: "/usr"})
	for _, dir := range []string{
		"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store",
	} {
		info, err := os.Lstat(dir)
		if err != nil {
			continue
		}
		if info.Mode()&os.ModeSymlink == 0 {
			l.System = append(l.System, Bind{Host: dir, Inside: dir})
			continue
		}
		if target, err := os.Readlink(dir); err == nil {
			l.Links = append(l.Links, [2]string{target, dir})
		}
	}
	for _, file := range modulesOfPHP(phpModules) {
		l.System = append(l.System, Bind{Host: file, Inside: file})
	}
	for _, pattern := range etcFiles {
		found, _ := filepath.Glob(pattern)
		for _, file := range found {
			if _, err := os.Stat(file); err == nil {
				l.System = append(l.System, Bind{Host: file, Inside: file})
			}
		}
	}
}
