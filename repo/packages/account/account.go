// Package account finds out which registries the account that runs this program has its own
// package managers use: what the operator set up once, for the go command, npm and pip, needs not
// be said again. Passwords are never read: an address with one is left out, and named.
package account

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Registries are the registries of a kind of project.
type Registries struct {
	Env     []string // NAME=value, by which its package managers are told
	LeftOut []string // the names of those that have a password in their address
}

// Patience is as long as a session waits for a tool to say what it is set to.
const Patience = 20 * time.Second

// commands say what the tools of a kind are set to.
var commands = map[string][]string{
	"go":     {"go", "env", "-json", "GOPROXY", "GONOPROXY", "GOPRIVATE", "GOSUMDB", "GONOSUMDB", "GOINSECURE"},
	"node":   {"npm", "config", "get", "registry"},
	"python": {"python3", "-m", "pip", "config", "list"},
}

// Find asks the tools of a kind (go, node, python). What is not installed says nothing. It is an
// error if a tool has not answered when ctx ends; the next call asks it again.
func Find(ctx context.Context, kind string) (Registries, error) {
	command, known := commands[kind]
	if !known {
		return Registries{}, nil
	}
	text, err := output(ctx, command)
	if err != nil {
		return Registries{}, fmt.Errorf("%s: %w", strings.Join(command, " "), err)
	}
	found := map[string]string{}
	switch kind {
	case "go":
		_ = json.Unmarshal(text, &found) // what is no JSON says nothing
	case "node":
		if value := strings.TrimSpace(string(text)); strings.HasPrefix(value, "http") {
			found["npm_config_registry"], found["YARN_NPM_REGISTRY_SERVER"] = value, value
		}
	case "python":
		found = pipConfig(string(text))
	}
	var r Registries
	for _, name := range slices.Sorted(maps.Keys(found)) {
		switch value := found[name]; {
		case value == "" || strings.ContainsAny(value, "\x00\n\r"):
		case withPassword.MatchString(value):
			r.LeftOut = append(r.LeftOut, name)
		default:
			r.Env = append(r.Env, name+"="+value)
		}
	}
	return r, nil
}

// IsUsual reports whether an entry of Env is what a tool says where nobody set anything.
func IsUsual(entry string) bool {
	_, value, _ := strings.Cut(entry, "=")
	return slices.Contains([]string{"https://proxy.golang.org,direct", "sum.golang.org", "https://registry.npmjs.org/"}, value)
}

// withPassword finds a user in an address, also in one of several.
var withPassword = regexp.MustCompile(`://[^/\s,|]*@`)

// answers are what commands said, by command and environment: pip and npm take a second each, and
// nobody sets them otherwise while this program runs.
var answers sync.Map

// output is what a command says, asked once, where no project's own settings are; nothing if it
// fails. It is an error if it was cut off.
func output(ctx context.Context, command []string) ([]byte, error) {
	key := strings.Join(slices.Concat(command, os.Environ()), "\x00")
	if said, known := answers.Load(key); known {
		return said.([]byte), nil
	}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir = "/"
	text, err := cmd.Output()
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		text = nil
	}
	answers.Store(key, text)
	return text, nil
}

// pipSettings are those of pip that say where packages come from; a later one goes before.
var pipSettings = map[string]string{"index-url": "PIP_INDEX_URL", "extra-index-url": "PIP_EXTRA_INDEX_URL", "trusted-host": "PIP_TRUSTED_HOST"}

var pipLine = regexp.MustCompile(`^(global|install|:env:)\.([a-z-]+)=['"](.*)['"]$`)

// pipConfig reads lines such as global.index-url='https://…'; several values are on several
// lines, which pip shows as \n.
func pipConfig(text string) map[string]string {
	found := map[string]string{}
	for _, section := range []string{"global", "install", ":env:"} { // as they go before one another
		for line := range strings.Lines(text) {
			part := pipLine.FindStringSubmatch(strings.TrimSpace(line))
			if part != nil && part[1] == section && pipSettings[part[2]] != "" {
				found[pipSettings[part[2]]] = strings.Join(strings.Fields(strings.ReplaceAll(part[3], `\n`, " ")), " ")
			}
		}
	}
	return found
}
