package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/bobbinhq/bobbin/workflow/tool"
)

// searchPatterns are typical searches of agents. Most files of a tree do not match them.
var searchPatterns = []struct {
	name, pattern string
	count         bool // too many lines to show: ripgrep only counts them, as our tool does
}{
	{name: "a literal", pattern: "ErrBodyReadAfterClose"},
	{name: "an expression", pattern: `func new\w+Reader\(`},
	{name: "one of two literals", pattern: "ErrBodyReadAfterClose|ErrLineTooLong"},
	{name: "no literal in it", pattern: `[A-Z]\w+AfterClose\w*`},
	{name: "any case", pattern: "(?i)errbodyreadafterclose"},
	{name: "any case, an expression", pattern: `(?i)func new\w+reader\(`},
	{name: "too many lines to show", pattern: "return err$", count: true},
}

// searchRow measures the search tool on the largest tree.
func searchRow() row {
	r := row{
		name: "search",
		what: fmt.Sprintf("Search of %d files, which are in memory", repositorySizes[len(repositorySizes)-1]),
	}
	most := make([]float64, len(searchPatterns))
	for i, p := range searchPatterns {
		r.figures = append(r.figures, figure{name: p.name, unit: "s"})
		most[i] = 1.3
	}
	r.open = func(ctx context.Context, b *bench) ([]side, func(), error) {
		source, err := b.repository(ctx)
		if err != nil {
			return nil, nil, err
		}
		root, err := os.OpenRoot(source.work)
		if err != nil {
			return nil, nil, err
		}
		peer := side{name: "rg", ratio: most}
		program, err := ripgrep(ctx, b)
		var l skipped
		if errors.As(err, &l) {
			peer.lacks = l.why
		} else if err != nil {
			return nil, nil, err
		}
		peer.turn = eachPattern(func(ctx context.Context, pattern string, count bool) error {
			args := []string{
				"--no-config", "--hidden", "--glob=!.git", "--no-heading", "--line-number", "-e", pattern,
				".",
			}
			if count {
				args[4] = "--count"
			}
			cmd := exec.CommandContext(ctx, program, args...)
			cmd.Dir = source.work
			out, err := cmd.Output()
			if err == nil && len(out) == 0 {
				err = fmt.Errorf("%s found nothing", pattern)
			}
			return err
		})
		ours := side{
			name: "the tool search",
			turn: eachPattern(func(ctx context.Context, pattern string, _ bool) error {
				s, err := tool.NewSearch(pattern, false)
				if err != nil {
					return err
				}
				_, err = s.Run(ctx,
					func(ctx context.Context) error { return s.SearchTree(ctx, root, ".", "") })
				return err
			}),
		}
		_, err = ours.turn(ctx) // reads every file into the page cache
		return []side{ours, peer}, func() { _ = root.Close() }, err
	}
	return r
}

func eachPattern(
	search func(ctx context.Context, pattern string, count bool) error,
) func(context.Context) ([]float64, error) {
	return func(ctx context.Context) (values []float64, err error) {
		for _, p := range searchPatterns {
			began := time.Now()
			err = errors.Join(err, search(ctx, p.pattern, p.count))
			values = append(values, time.Since(began).Seconds())
		}
		return values, err
	}
}

// ripgrep returns the path of the installed rg program, or of the one in the pinned npm package.
func ripgrep(ctx context.Context, b *bench) (string, error) {
	if program, err := exec.LookPath("rg"); err == nil {
		return program, nil
	}
	dir, err := modules(ctx, filepath.Join(b.root, ".ci", "figures", "ripgrep"))
	if err != nil {
		return "", fmt.Errorf("%w; or apt-get install ripgrep", err)
	}
	arch := map[string]string{"amd64": "x64", "386": "ia32"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	program := filepath.Join(dir, "node_modules", "@vscode", "ripgrep-"+runtime.GOOS+"-"+arch, "bin", "rg")
	if _, err := os.Stat(program); err != nil {
		return "", skipped{"npm has no ripgrep for this machine; apt-get install ripgrep"}
	}
	return program, nil
}
