package packages

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

// Registries holds the configured registries for a kind of project.
type Registries struct {
	Env     []string // NAME=value for the package managers of that kind
	LeftOut []string // the names of variables whose addresses contain a password
}

// AccountTimeout is the maximum time that a session waits for the configuration of a tool, which takes
// seconds even on a busy machine.
const AccountTimeout = time.Minute

// commands holds, for each kind, the command that prints the configuration of its tool.
var commands = map[string][]string{
	"go": {
		"go", "env", "-json", "GOPROXY", "GONOPROXY", "GOPRIVATE", "GOSUMDB", "GONOSUMDB", "GOINSECURE",
	},
	"node":   {"npm", "config", "get", "registry"},
	"python": {"python3", "-m", "pip", "config", "list"},
}

// FindAccount returns the registries for a kind of project (go, node, python). A tool that is not installed
// has none. It fails if a tool has not answered when ctx ends; the next call asks the tool again.
func FindAccount(ctx context.Context, kind string) (Registries, error) {
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
		_ = json.Unmarshal(text, &found) // invalid JSON means no settings
	case "node":
		if value := strings.TrimSpace(string(text)); strings.HasPrefix(value, "http") {
			found["npm_config_registry"] = value
			found["YARN_NPM_REGISTRY_SERVER"] = value
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

// IsUsualAccount reports whether an entry of Env is the tool's default value.
func IsUsualAccount(entry string) bool {
	_, value, _ := strings.Cut(entry, "=")
	return slices.Contains(
		[]string{"https://proxy.golang.org,direct", "sum.golang.org", "https://registry.npmjs.org/"}, value,
	)
}

// withPassword matches an address with user information, also within a list of addresses.
var withPassword = regexp.MustCompile(`://[^/\s,|]*@`)

// answers caches the output of commands, by command and environment. pip and npm take a second each, and
// their configuration does not change while this program runs.
var answers sync.Map

// output returns the cached output of a command, which runs once and in a folder without project settings.
// The output is empty if the command fails. output returns an error if ctx ended the command.
func output(ctx context.Context, command []string) ([]byte, error) {
	key := strings.Join(slices.Concat(command, os.Environ()), "\x00")
	if answer, known := answers.Load(key); known {
		return answer.([]byte), nil
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

// pipSettings maps pip's settings for the source of packages to environment variables.
var pipSettings = map[string]string{
	"index-url":       "PIP_INDEX_URL",
	"extra-index-url": "PIP_EXTRA_INDEX_URL",
	"trusted-host":    "PIP_TRUSTED_HOST",
}

var pipLine = regexp.MustCompile(`^(global|install|:env:)\.([a-z-]+)=['"](.*)['"]$`)

// pipConfig parses lines such as global.index-url='https://…'. pip shows several values of a setting with \n
// between them.
func pipConfig(text string) map[string]string {
	found := map[string]string{}
	for _, section := range []string{"global", "install", ":env:"} { // in ascending priority
		for line := range strings.Lines(text) {
			part := pipLine.FindStringSubmatch(strings.TrimSpace(line))
			if part != nil && part[1] == section && pipSettings[part[2]] != "" {
				found[pipSettings[part[2]]] = strings.Join(strings.Fields(strings.ReplaceAll(part[3],
					`\n`, " ")), " ")
			}
		}
	}
	return found
}
