package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// machine describes the machine that the figures were measured on, without a host name or a user name.
func machine(ctx context.Context, dir string) []string {
	processor := firstField("/proc/cpuinfo", "model name")
	if processor == "" {
		processor = runtime.GOARCH
	}
	lines := []string{
		"Bobbin at " + commit(ctx),
		fmt.Sprintf("%d cores (%s), %s of memory", runtime.NumCPU(), processor, memory()),
		fmt.Sprintf("%s, temporary files on %s", system(), fileSystem(dir)),
		runtime.Version(),
	}
	for _, name := range []string{"git", "postgres", "node", "rg"} {
		out, err := exec.CommandContext(ctx, name, "--version").Output()
		if err == nil {
			version, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
			lines = append(lines, map[string]string{"node": "node "}[name]+version)
		}
	}
	return lines
}

// commit names the commit that is measured, and says if there are changes beside it.
func commit(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty=, with changes").Output()
	if err != nil {
		return "an unknown commit"
	}
	return strings.TrimSpace(string(out))
}

// firstField returns the value of the first field with that name in a table of the kernel, such as
// /proc/cpuinfo, or an empty string.
func firstField(file, name string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	for scan := bufio.NewScanner(f); scan.Scan(); {
		key, value, found := strings.Cut(scan.Text(), ":")
		if found && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// memory returns the size of the machine's memory in whole gigabytes.
func memory() string {
	kb, _ := strconv.Atoi(strings.TrimSuffix(firstField("/proc/meminfo", "MemTotal"), " kB"))
	return fmt.Sprintf("%.0f GB", float64(kb)/(1<<20))
}

func system() string {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return runtime.GOOS
	}
	release := strings.SplitN(unix.ByteSliceToString(u.Release[:]), ".", 3)
	return unix.ByteSliceToString(u.Sysname[:]) + " " + strings.Join(release[:min(2, len(release))], ".")
}

func fileSystem(dir string) string {
	out, err := exec.Command("stat", "-f", "-c", "%T", dir).Output()
	if err != nil {
		return "an unknown file system"
	}
	return strings.TrimSpace(string(out))
}
