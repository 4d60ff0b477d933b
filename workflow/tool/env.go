package tool

import (
	"context"
	"embed"
	"errors"
	"io"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/sandbox"
	"github.com/bobbinhq/bobbin/workflow/model"
)

// An Env holds what the tools of one agent work on. Its tools may be called concurrently. It must not be
// copied after its first use.
type Env struct {
	Workspace *git.Workspace
	// for history; nil: the history tool says that there is none
	Mirror *git.Mirror
	// the address of the repository's page at its host, for history; empty: it is not known
	Page string
	// the pull request that the workspace's base is the branch of, for history; its zero value: of none
	Pull Pull
	Commands
	// the repositories that a path may name
	Repositories Repositories
	// other branches and tags that a request may be about, on which code is looked for that the workspace
	// does not have; may be nil
	Elsewhere func() []git.ReleaseBranch
	// clean path of the part of a large repository to work on; empty: all of it
	Folder string
	// returns nil if edits are allowed, else the reason for the model; may be nil
	MayWrite func() error
	// called after each change of a file; may be nil
	Edited func()
	// keeps whole outputs of one session's commands for its agents to read; empty: none are kept
	OutputDir string

	// Attachment opens the text of an attachment by a reference that begins with "attachment:", and returns
	// the name that people gave it. It returns a [model.Mistake] if there is none. It may be nil.
	Attachment func(ctx context.Context, ref string) (name string, text io.ReadSeekCloser, err error)
	// AttachedAs returns the reference of the attachment to which people gave that name, or an empty string.
	// It may be nil.
	AttachedAs func(ctx context.Context, name string) (ref string)

	prefix string // begins the paths of another repository; empty: it is the agent's own

	// a change of files holds it for writing: one at a time, and no reading meanwhile
	changing sync.RWMutex
	seen     sightings
}

// A Pull is a pull request that is not merged.
type Pull struct {
	Number int64
	Into   string // the branch into which it is to be merged
}

// Commands says what confines commands and checks, and what they build with.
type Commands struct {
	// nil: no command is run
	Sandbox *sandbox.Sandbox
	// why no command is run, and what to do about it
	SandboxOff string
	// of the repository, by For; nil: commands run without caches, and check is off
	Checker *build.Checker
	Project project.Project
	// lets agents set another test command
	CommandSetter CommandSetter
	// the ways to test the repository that its base tells; nil: it is not known what a command covers
	Candidates func() []project.Candidate
	// BuildCacheDir is a folder for a build cache that commands of `run` may write. It is created when it is
	// first needed. Empty: they have the repository's cache, read-only.
	BuildCacheDir string
	// ScratchDir is the folder that commands of `run` know as $SCRATCH: files that the session's agents write
	// for themselves, kept between commands. It is created when it is first needed. Empty: there is none.
	ScratchDir string

	// NextRun returns the number of the next command or check in the session. nil: they have no numbers.
	NextRun func(context.Context) (int, error)

	// of commands, except their time; tests use small ones
	limits     sandbox.Limits
	maxScratch int64 // bytes in ScratchDir; 0: the default
}

// Reading returns the tools that change nothing.
func Reading(b *Env) []model.Tool {
	return []model.Tool{
		newTool("list_files", reads(b, (*Env).listFiles)),
		newTool("search", reads(b, (*Env).search)),
		newTool("search_file", reads(b, (*Env).searchFile)),
		newTool("read_file", reads(b, (*Env).readFile)),
		newTool("outline", reads(b, (*Env).outline)),
		newTool("history", reads(b, (*Env).history)),
		newTool("diff", b.diff),
	}
}

// Running returns the tools that run commands.
func Running(b *Env) []model.Tool {
	return []model.Tool{newWritingTool("run", b.commandRunner().run)}
}

// Writing returns the tools that change files, and the tool that checks the change. The time of a check is
// not the agent's: it waits for the base's tests, and runs as long as the repository's tests do.
func Writing(b *Env) []model.Tool {
	tools := []model.Tool{
		newTool("edit_file", b.editFile), newTool("write_file", b.writeFile),
		newTool("apply_patch", b.applyPatch),
	}
	for i := range tools {
		tools[i].ChangesFiles = true
	}
	return append(tools, Checking(b))
}

// Checking returns the tool that builds and tests the workspace.
func Checking(b *Env) model.Tool {
	check := newWritingTool("check", b.commandRunner().check)
	check.Untimed = true
	return check
}

//go:embed *.md
var descriptions embed.FS

// newTool returns a tool for a function that answers with text. The tool's description is in NAME.md; a
// missing file is a mistake in the program's source, which any test finds.
func newTool[T any](
	name string, call func(ctx context.Context, in T) (string, error), adjust ...func(*jsonschema.Schema),
) model.Tool {
	return newWritingTool(name, func(ctx context.Context, in T) (string, execution, error) {
		text, err := call(ctx, in)
		return text, nil, err
	}, adjust...)
}

// An execution is a command or a check that a call has run. It is stored with the call.
type execution interface {
	model.Write
	failed() bool
}

// newWritingTool returns a tool whose call also returns what it has run; nil: nothing.
func newWritingTool[T any](name string, call func(
	ctx context.Context, in T,
) (string, execution, error), adjust ...func(*jsonschema.Schema),
) model.Tool {
	text, err := descriptions.ReadFile(name + ".md")
	if err != nil {
		panic(err)
	}
	return model.NewTool(name, strings.TrimSpace(string(text)),
		func(ctx context.Context, in T) (model.Result, error) {
			text, ran, err := call(ctx, in)
			result, err := answer(text, err)
			if ran != nil {
				result.Failed = ran.failed()
				result.Writes = []model.Write{ran}
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

// mayWrite returns nil if files may be changed.
func (e *Env) mayWrite() error {
	if e.MayWrite == nil {
		return nil
	}
	if err := e.MayWrite(); err != nil {
		return model.Mistake(err.Error())
	}
	return nil
}

func (e *Env) edited() {
	if e.Edited != nil {
		e.Edited()
	}
}
