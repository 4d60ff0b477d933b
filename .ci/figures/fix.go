package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The bug that every agent fixes in the same steps: read, search, edit, add a test, run the tests, done.
var (
	fixFiles = map[string]string{
		"go.mod":  "module example.com/sums\n\ngo 1.24\n",
		"sums.go": "package sums\n\n// Add adds.\nfunc Add(a, b int) int {\n\treturn a - b\n}\n",
		"sums_test.go": "package sums\n\nimport \"testing\"\n\nfunc TestZero(t *testing.T) {\n" +
			"\tif Add(0, 0) != 0 {\n\t\tt.Fatal(\"zero\")\n\t}\n}\n",
	}
	fixTest = "package sums\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n" +
		"\t\tt.Fatal(Add(1, 2))\n\t}\n}\n"
)

const (
	fixReport = "Add in sums.go is wrong: Add(1, 2) is -1. Fix it, with a test in add_test.go."
	fixOld    = "return a - b"
	fixNew    = "return a + b"
	runTests  = "go test ./..."
)

// fixRow measures a small fix from its report to its end.
func fixRow() row {
	return row{
		name: "fix",
		what: "A fix in five steps with a model that answers at once. Ours: bobbin serve, from the message " +
			"over report and approval to the worker's last step, and on to the push with its proof; " +
			"others: one run without a person, from the start of the program to its end",
		figures: []figure{
			{name: "to the last step", unit: "s"},
			{name: "to the push, with the proof", unit: "s"},
			{name: "processor time of all that, without Postgres'", unit: "s"},
			{name: "most memory", unit: "MB"},
			{name: "first prompt, with its tools", unit: "KB"},
			{name: "all prompts", unit: "KB"},
			{name: "part of the later prompts that begins as an earlier one", unit: "%"},
		},
		most:   3,
		within: 2 * time.Minute,
		open: func(ctx context.Context, b *bench) ([]side, func(), error) {
			own, err := b.ownFixer(ctx)
			if err != nil {
				return nil, nil, err
			}
			sides := []side{{name: "bobbin serve", turn: own.turn}}
			for _, p := range fixPeers {
				s := side{
					name:  p.name,
					ratio: []float64{1, 0, 1, 1, 1, 1},
					turn:  func(ctx context.Context) ([]float64, error) { return b.runPeer(ctx, p) },
				}
				if s.lacks = p.lacks; s.lacks == "" {
					if _, err := s.turn(ctx); err != nil {
						// the first run prepares caches and is not measured
						why := strings.Join(strings.Fields(err.Error()), " ")
						s.lacks = "it does not run here: " + why[:min(len(why), 400)]
					}
				}
				sides = append(sides, s)
			}
			return sides, own.close, nil
		},
	}
}

// promptFigures returns the size of the first prompt and of all prompts in KB, and the percentage of the
// later prompts that repeats the beginning of an earlier one.
func promptFigures(requests []modelRequest) []float64 {
	first, all, later, same := 0, 0, 0, 0
	var before [][]byte
	for _, r := range requests {
		prompt := r.prompt()
		all += len(prompt)
		if first == 0 && len(r.tools) > 0 {
			first = len(prompt)
		}
		most := 0
		for _, b := range before {
			n := 0
			for n < min(len(b), len(prompt)) && b[n] == prompt[n] {
				n++
			}
			if n > len(prompt)/10 { // a shorter common beginning means another conversation
				most = max(most, n)
			}
		}
		if most > 0 {
			later = later + len(prompt)
			same = same + most
		}
		before = append(before, prompt)
	}
	return []float64{float64(first) / 1000, float64(all) / 1000, 100 * float64(same) / float64(later)}
}

// prompt returns the parts of a request in the order in which models read them: tools, instructions,
// conversation.
func (a modelRequest) prompt() (text []byte) {
	var in struct {
		Tools        json.RawMessage
		Instructions json.RawMessage
		Messages     []json.RawMessage
		Input        []json.RawMessage
	}
	_ = json.Unmarshal(a.body, &in)
	for _, part := range slices.Concat([]json.RawMessage{in.Tools, in.Instructions}, in.Messages, in.Input) {
		text = append(text, part...)
	}
	return text
}

// A fixer is bobbin serve with a model that fixes the bug.
type fixer struct {
	*office
	model   *endpoint
	process *process
	remote  string
	done    chan time.Time // receives the time at which a worker called done
}

func (b *bench) ownFixer(ctx context.Context) (*fixer, error) {
	work, err := b.fixTree(ctx)
	if err != nil {
		return nil, err
	}
	f := &fixer{remote: work + ".git", done: make(chan time.Time, 10)}
	if _, err := runGit(ctx, b.dir, "clone", "-q", "--bare", work, f.remote); err != nil {
		return nil, err
	}
	if f.office, err = openOffice(); err != nil {
		return nil, err
	}
	f.model = openEndpoint(f.play)
	f.process, err = b.serve(ctx, f.office, f.model,
		fmt.Sprintf("repositories: [{name: sums, url: %q, base: main}]\n", f.remote))
	if err == nil {
		_, err = f.turn(ctx) // fills the mirror and the build cache
	}
	if err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

func (f *fixer) close() {
	if f.process != nil {
		f.process.stop()
	}
	f.model.close()
	f.Close()
}

// fixTree creates a repository with the bug and returns its path.
func (b *bench) fixTree(ctx context.Context) (string, error) {
	dir, err := os.MkdirTemp(b.dir, "fix-")
	if err != nil {
		return "", err
	}
	for name, text := range fixFiles {
		if err := writeFile(filepath.Join(dir, name), []byte(text)); err != nil {
			return "", err
		}
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-qm", "sums"}} {
		if _, err := runGit(ctx, dir, args...); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// play returns the next tool call of the model that plays our agents.
func (f *fixer) play(a modelRequest) answer {
	switch {
	case strings.Contains(a.system, "You review a change before it is pushed"):
		return answer{tool: "review_change", args: map[string]any{"findings": []any{}}}
	case strings.Contains(a.system, "You are the orchestrator"):
		switch {
		case a.has("Task 1 is done"):
			return answer{
				tool: "finish",
				args: map[string]any{"title": "Add instead of subtracting", "summary": "Add adds now."},
			}
		case a.has("was approved by"):
			return answer{
				tool: "delegate",
				args: map[string]any{"tasks": []any{
					map[string]any{"category": "quick", "title": "Fix Add", "description": fixReport},
				}},
			}
		}
		return answer{tool: "report_root_cause", args: map[string]any{
			"summary": "Add subtracts", "cause": "Add returns a - b (sums.go:5).", "confidence": "high",
			"remains": "nothing",
			"evidence": []any{
				map[string]any{"claim": "it subtracts", "grade": "inferred", "source": "sums.go:5"},
			},
		}}
	}
	steps := []answer{
		{tool: "read_file", args: map[string]any{"path": "sums.go"}},
		{tool: "search", args: map[string]any{"pattern": "Add"}},
		{tool: "edit_file", args: map[string]any{"path": "sums.go", "old": fixOld, "new": fixNew}},
		{tool: "write_file", args: map[string]any{"path": "add_test.go", "content": fixTest}},
		{tool: "run", args: map[string]any{"command": runTests}},
	}
	if n := a.results(); n < len(steps) {
		return steps[n]
	}
	f.done <- time.Now()
	return answer{tool: "done", args: map[string]any{"summary": "Add adds now"}}
}

func (f *fixer) turn(ctx context.Context) ([]float64, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	f.model.requests()
	all := tree{f.process.Process.Pid}
	before := all.seconds()
	peak := all.watch()
	began := time.Now()
	root, err := f.Say(f.channel, f.ann, f.Mention()+" "+fixReport, "")
	if err == nil {
		err = f.await(ctx, f.channel, root, "· revision 1")
	}
	if err == nil {
		_, err = f.Say(f.channel, f.ann, "Fix it", root)
	}
	if err == nil {
		err = f.await(ctx, f.channel, root, "and pushed:")
	}
	whole := time.Since(began).Seconds()
	memory := peak()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, f.process.tail())
	}
	return append([]float64{(<-f.done).Sub(began).Seconds(), whole, all.seconds() - before, memory},
		promptFigures(f.model.requests())...), nil
}

// A peer is another coding agent, installed from npm.
type peer struct {
	name  string
	lacks string // why the peer is not measured; empty: it is
	// command returns the command that runs the agent on the report, with home as its home folder.
	command func(modules, home, work, url string) (*exec.Cmd, error)
	steps   func(work string) []answer
}

var fixPeers = []peer{
	{
		name: "opencode",
		command: func(modules, home, work, url string) (*exec.Cmd, error) {
			settings := fmt.Sprintf(
				`{"model": "played/played", "autoupdate": false, "share": "disabled",
				"provider": {"played": {"npm": "@ai-sdk/openai-compatible",
				"options": {"baseURL": %q, "apiKey": "none"}, "models": {"played": {}}}}}`,
				url,
			)
			program, err := filepath.Glob(filepath.Join(modules,
				"node_modules/opencode-linux-*/bin/opencode"))
			if err != nil || len(program) == 0 {
				return nil, fmt.Errorf("no program of opencode for this machine")
			}
			return exec.Command(program[0], "run", "--auto",
				fixReport), writeFile(filepath.Join(home, ".config/opencode/opencode.json"), []byte(settings))
		},
		steps: func(work string) []answer {
			return []answer{
				{tool: "read", args: map[string]any{"filePath": work + "/sums.go"}},
				{tool: "grep", args: map[string]any{"pattern": "Add"}},
				{
					tool: "edit",
					args: map[string]any{
						"filePath":  work + "/sums.go",
						"oldString": fixOld,
						"newString": fixNew,
					},
				},
				{tool: "write", args: map[string]any{"filePath": work + "/add_test.go", "content": fixTest}},
				{tool: "bash", args: map[string]any{"command": runTests}},
			}
		},
	},
	{
		name: "codex",
		command: func(modules, _, _, url string) (*exec.Cmd, error) {
			return exec.Command(filepath.Join(modules, "node_modules/.bin/codex"), "exec", "-m", "played",
				"-c", "model_provider=played",
				"-c", fmt.Sprintf(`model_providers.played={name="played", base_url=%q, wire_api="responses"}`,
					url), "--dangerously-bypass-approvals-and-sandbox", fixReport), nil
		},
		steps: func(string) []answer {
			run := func(command string) answer {
				return answer{tool: "exec_command", args: map[string]any{"cmd": command, "login": false}}
			}
			patch := func(text string) answer {
				return run("apply_patch <<'EOF'\n*** Begin Patch\n" + text + "*** End Patch\nEOF")
			}
			return []answer{
				run("cat sums.go"), run("grep -rn Add ."),
				patch("*** Update File: sums.go\n@@\n-\t" + fixOld + "\n+\t" + fixNew + "\n"),
				patch("*** Add File: add_test.go\n+" +
					strings.ReplaceAll(strings.TrimSuffix(fixTest, "\n"), "\n", "\n+") + "\n"),
				run(runTests),
			}
		},
	},
	{
		name: "crush",
		lacks: "its npm package holds no program: it fetches one from GitHub when its install script runs, " +
			"and install scripts are not run here",
	},
	{
		name: "qwen-code",
		command: func(modules, _, _, url string) (*exec.Cmd, error) {
			return exec.Command(filepath.Join(modules, "node_modules/.bin/qwen"), "--yolo", "--auth-type",
				"openai", "--openai-base-url",
				url, "--openai-api-key", "none", "-m", "played", fixReport), nil
		},
		steps: func(work string) []answer {
			return []answer{
				{tool: "read_file", args: map[string]any{"file_path": work + "/sums.go"}},
				{tool: "grep_search", args: map[string]any{"pattern": "Add"}},
				{
					tool: "edit",
					args: map[string]any{
						"file_path":  work + "/sums.go",
						"old_string": fixOld,
						"new_string": fixNew,
					},
				},
				{
					tool: "write_file",
					args: map[string]any{"file_path": work + "/add_test.go", "content": fixTest},
				},
				{
					tool: "run_shell_command",
					args: map[string]any{"command": runTests, "is_background": false},
				},
			}
		},
	},
}

// runPeer runs another agent once on a fresh tree with the bug.
func (b *bench) runPeer(ctx context.Context, p peer) ([]float64, error) {
	installed, err := modules(ctx, ".ci/figures/peers")
	if err != nil {
		return nil, err
	}
	work, err := b.fixTree(ctx)
	if err != nil {
		return nil, err
	}
	home := filepath.Join(b.dir, "home-"+p.name)
	if err := os.MkdirAll(home, 0o755); err != nil {
		return nil, err
	}
	steps := p.steps(work)
	system := ""
	model := openEndpoint(func(a modelRequest) answer {
		if system == "" && slices.Contains(a.tools, steps[0].tool) {
			system = a.system
		}
		if n := a.results(); n < len(steps) && a.system == system && slices.Contains(a.tools, steps[0].tool) {
			return steps[n]
		}
		// answers other requests too, such as one for a title of the conversation
		return answer{text: "Add adds now."}
	})
	defer model.close()
	cmd, err := p.command(installed, home, work, model.URL+"/v1")
	if err != nil {
		return nil, err
	}
	cmd.Dir = work
	cache, err := exec.CommandContext(ctx, "go", "env", "GOCACHE").Output()
	if err != nil {
		return nil, err
	}
	cmd.Env = []string{
		"HOME=" + home, "PATH=" + os.Getenv("PATH"), "GOCACHE=" + strings.TrimSpace(string(cache)),
		"GOPROXY=off", "GOFLAGS=-vet=off -ldflags=-s", "TERM=dumb",
	}
	began := time.Now()
	running, err := b.start(cmd)
	if err != nil {
		return nil, err
	}
	peak := tree{running.Process.Pid}.watch()
	select {
	case <-running.ended:
	case <-time.After(time.Minute):
		running.stop()
	case <-ctx.Done():
		running.stop()
	}
	took := time.Since(began).Seconds()
	memory := peak()
	requests := model.requests()
	if err := fixed(work, requests); err != nil {
		return nil, fmt.Errorf("%w: %s", err, running.tail())
	}
	state := running.ProcessState
	return append([]float64{took, math.NaN(), (state.UserTime() + state.SystemTime()).Seconds(), memory},
		promptFigures(requests)...), nil
}

// fixed returns an error unless the peer made the change and saw the tests pass.
func fixed(work string, requests []modelRequest) error {
	text, err := os.ReadFile(filepath.Join(work, "sums.go"))
	if err != nil {
		return err
	}
	passed := slices.ContainsFunc(requests,
		func(a modelRequest) bool { return a.results() >= 5 && a.has("ok") && a.has("example.com/sums") })
	if !strings.Contains(string(text), fixNew) || !passed {
		return fmt.Errorf("the bug was not fixed in %d requests", len(requests))
	}
	return nil
}
