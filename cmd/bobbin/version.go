package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/alecthomas/kong"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// version, commit and date describe the build. A release sets the version; a build outside of a git
// checkout, such as that of the image, sets all of them with -ldflags "-X main.commit=…".
var (
	version = "dev"
	commit  = "" // the hash, with -dirty if the checkout had changes
	date    = "" // of the commit, such as 2026-11-30
)

// pseudoVersion matches the module version of a commit without a tag, as go install …@main gives it.
var pseudoVersion = lazyregexp.New(
	`^v[0-9.]+-(?:.+\.)?(\d{4})(\d\d)(\d\d)\d{6}-([0-9a-f]{12})(?:\+|$)`)

// A versionFlag prints the version in place of running a command.
type versionFlag bool

// BeforeReset is called by kong when it finds the flag.
func (versionFlag) BeforeReset(app *kong.Kong) error {
	_, err := fmt.Fprintln(app.Stdout, programVersion())
	app.Exit(0)
	return err
}

// versionCommand is bobbin version, which prints the same as the flag.
type versionCommand struct{}

// Run prints the version.
func (versionCommand) Run(con cli.Console) error {
	_, err := fmt.Fprintln(con.Out, programVersion())
	return err
}

// programVersion returns what --version prints.
func programVersion() string {
	built, ok := debug.ReadBuildInfo()
	if !ok {
		built = &debug.BuildInfo{}
	}
	return describeBuild(version, commit, date, built)
}

// describeBuild returns the version with its commit, the date of that, and the version of Go, such as
// "0.3 (commit 9c0f4159c3d1, 2026-11-30, go1.26.1)". What -ldflags have set comes first, then what the go
// command recorded.
func describeBuild(version, commit, date string, built *debug.BuildInfo) string {
	settings := map[string]string{}
	for _, s := range built.Settings {
		settings[s.Key] = s.Value
	}
	revision := settings["vcs.revision"]
	day := settings["vcs.time"]
	if pseudo := pseudoVersion.FindStringSubmatch(built.Main.Version); pseudo != nil {
		revision = cmp.Or(revision, pseudo[4])
		day = cmp.Or(day, pseudo[1]+"-"+pseudo[2]+"-"+pseudo[3])
	} else if version == "dev" && built.Main.Version != "" && built.Main.Version != "(devel)" {
		version = built.Main.Version
	}
	revision = shorten(revision, 12)
	if revision != "" && settings["vcs.modified"] == "true" {
		revision += "-dirty"
	}
	if commit != "" {
		revision = commit
		day = date
	}
	described := version + " (unknown commit"
	if revision != "" {
		described = version + " (commit " + revision
		if day != "" {
			described += ", " + shorten(day, len("2026-11-30"))
		}
	}
	return described + ", " + cmp.Or(built.GoVersion, runtime.Version()) + ")"
}

// shorten returns the first n bytes of a hash or a time.
func shorten(s string, n int) string { return s[:min(n, len(s))] }
