package tool

import (
	"context"
	"embed"
	"errors"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/project"
	"github.com/bobbinhq/bobbin/repo/sandbox"
	"github.com/bobbinhq/bobbin/repo/testrun"
	"github.com/bobbinhq/bobbin/workflow/model"
)

// A Bench is one agent's place of work. Its tools may be called concurrently. It must
// not be copied after its first use.
type Bench struct {
	Workspace *repo.Workspace
	Mirror    *repo.Mirror // for history; nil: the history tool says that there is none
	Commands
	Folder    string       // clean; what is explored and changed, of a large repository; empty: all of it
	MayWrite  func() error // nil when edits are allowed, else the reason in words for the model; the field may be nil
	Edited    func()       // called after each change of a file; may be nil
	OutputDir string       // where whole outputs of commands are kept, of one session, for its agents to read; empty: nowhere

	// Attachment gives what people attached, by a name that begins with "attachment:", and what
	// they called it; a [Wrong] where there is none. It may be nil.
	Attachment func(ctx context.Context, ref string) (name string, content []byte, err error)
	// AttachedAs is how that is named here which people attached under such a name; empty
	// where there is none. It may be nil.
	AttachedAs func(ctx context.Context, name string) (ref string)

	changing sync.RWMutex // one change of files at a time, and no reading meanwhile
	seen     sightings
}

// Commands say what confines commands and checks, and what they have to build with.
type Commands struct {
	Sandbox    *sandbox.Sandbox // nil: nothing is run
	SandboxOff string           // why nothing is run, and what to do about it
	Checker    *testrun.Checker // of the repository, by For; nil: commands run without caches, check is off
	Project    project.Project
	Naming     Naming // of another test command
	// ScratchDir is a folder for the build cache that commands of `run` may write; it is
	// made when it is first needed. Empty: they have the repository's, read-only.
	ScratchDir string

	limits sandbox.Limits // of commands, beside their time; tests have small ones
}

// Reading is the tools that change nothing.
func Reading(b *Bench) []model.Tool {
	return []model.Tool{
		newTool("list_files", b.listFiles),
		newTool("search", b.search),
		newTool("read_file", b.readFile),
		newTool("outline", b.outline),
		newTool("history", commitReader{b.Mirror, b.Workspace}.history),
		newTool("diff", b.diff),
	}
}

// Running is the tools that run commands.
func Running(b *Bench) []model.Tool {
	return []model.Tool{newWritingTool("run", b.commandRunner().run)}
}

// Writing is the tools that change files, and the one that judges the change.
func Writing(b *Bench) []model.Tool {
	return []model.Tool{
		newTool("edit_file", b.editFile),
		newTool("write_file", b.writeFile),
		newTool("apply_patch", b.applyPatch),
		newWritingTool("check", b.commandRunner().check),
	}
}

//go:embed *.md
var descriptions embed.FS

// newTool makes a tool of a function that answers with text. Its description is the file
// of its name; a missing one is a mistake of ours, found by any test.
func newTool[T any](name string, call func(ctx context.Context, in T) (string, error), adjust ...func(*jsonschema.Schema)) model.Tool {
	return newWritingTool(name, func(ctx context.Context, in T) (string, any, error) {
		text, err := call(ctx, in)
		return text, nil, err
	}, adjust...)
}

// newWritingTool makes a tool whose call writes something, unless that is nil.
func newWritingTool[T any](name string, call func(ctx context.Context, in T) (string, any, error), adjust ...func(*jsonschema.Schema)) model.Tool {
	text, err := descriptions.ReadFile(name + ".md")
	if err != nil {
		panic(err)
	}
	return model.NewTool(name, strings.TrimSpace(string(text)), func(ctx context.Context, in T) (model.Result, error) {
		said, written, err := call(ctx, in)
		result, err := answer(said, err)
		switch ran := written.(type) {
		case CommandRun:
			result.Failed = ran.ExitCode != 0
		case checkRun:
			written, result.Failed = ran.Result, ran.red
		}
		if written != nil {
			result.Writes = []any{written}
		}
		return result, err
	}, adjust...)
}

func answer(text string, err error) (model.Result, error) {
	var w model.Mistake
	switch {
	case errors.As(err, &w):
		return model.Result{Text: string(w), Wrong: true}, nil
	case err != nil:
		return model.Result{}, err
	}
	return model.Result{Text: text}, nil
}

// mayWrite is nil when files may be changed.
func (b *Bench) mayWrite() error {
	if b.MayWrite == nil {
		return nil
	}
	if err := b.MayWrite(); err != nil {
		return model.Mistake(err.Error())
	}
	return nil
}

func (b *Bench) edited() {
	if b.Edited != nil {
		b.Edited()
	}
}
