package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// modules installs the packages that package-lock.json in folder pins, once, below the user's cache
// folder, and returns the folder that holds node_modules. If there is no lock file, it installs what
// package.json names: npm rejects a lock file that lacks the packages of other systems, and some
// registries do not have all of them.
func modules(ctx context.Context, folder string) (string, error) {
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			return "", skipped{"there is no " + program + " here; install Node.js 20 or newer"}
		}
	}
	names := []string{"package-lock.json", "package.json"}
	install := "ci"
	if _, err := os.Stat(filepath.Join(folder, names[0])); err != nil {
		names = names[1:]
		install = "install"
	}
	pinned, err := os.ReadFile(filepath.Join(folder, names[0]))
	if err != nil {
		return "", err
	}
	base, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(pinned)
	final := filepath.Join(base, "bobbin-figures", hex.EncodeToString(sum[:8]))
	if _, err := os.Stat(final); err == nil {
		return final, nil
	}
	fresh := final + ".new"
	if err := os.RemoveAll(fresh); err != nil {
		return "", err
	}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return "", err
		}
		if err := writeFile(filepath.Join(fresh, name), text); err != nil {
			return "", err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	npm := exec.CommandContext(ctx, "npm", install, "--ignore-scripts", "--no-audit", "--no-fund")
	npm.Dir = fresh
	if out, err := npm.CombinedOutput(); err != nil {
		return "", skipped{fmt.Sprintf("npm cannot install %s: %s", folder,
			strings.TrimSpace(string(out[max(0, len(out)-300):])))}
	}
	return final, os.Rename(fresh, final)
}
