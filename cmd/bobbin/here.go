package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/address"
)

// hereName is the configuration file that a command uses if it is in the current folder and no other is
// named.
const hereName = "bobbin.yaml"

// configVariable is the variable that names another one.
const configVariable = "BOBBIN_CONFIG"

// A hereConfig chooses the configuration file of the current folder.
type hereConfig struct {
	env    func(string) string
	chosen bool
	// the file is part of the repository that the command is about, and may be anybody's
	ofRepository bool
}

// Validate does nothing; kong demands it of a resolver.
func (h *hereConfig) Validate(*kong.Application) error { return nil }

// Resolve returns the file of the current folder for a flag --config that neither the command line nor the
// environment sets.
func (h *hereConfig) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	if flag.Tag.Get("from") != configVariable || flag.HasDefault || h.env(configVariable) != "" {
		return nil, nil
	}
	if _, err := os.Stat(hereName); err != nil {
		return nil, nil
	}
	h.chosen = true
	return hereName, nil
}

// leaveToRepository drops the file if it is in a repository that the command is about: that file could switch
// the sandbox off in which the repository's commands run. config is the flag's value.
func (h *hereConfig) leaveToRepository(repository string, config *string) error {
	if !h.chosen || repository == "" {
		return nil
	}
	if at, err := os.Stat(repository); err != nil || !at.IsDir() {
		return nil
	}
	folder, err := realPath(repository)
	if err != nil {
		return err
	}
	if top, found := address.GitFolder(folder); found {
		folder = top // a folder within a repository stands for it
	}
	here, err := realPath(".")
	if err != nil {
		return err
	}
	if here == folder || strings.HasPrefix(here, folder+string(filepath.Separator)) {
		*config = ""
		h.ofRepository = true
	}
	return nil
}

func realPath(folder string) (string, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(folder)
}

// announce says which file was chosen.
func (h *hereConfig) announce(w io.Writer) {
	name, err := filepath.Abs(hereName)
	switch {
	case !h.chosen || err != nil:
	case h.ofRepository:
		fmt.Fprintf(w, "bobbin: not using %s, since it is part of that repository; --config names it\n", name)
	default:
		fmt.Fprintf(w, "bobbin: using %s, which is in this folder\n", name)
	}
}
