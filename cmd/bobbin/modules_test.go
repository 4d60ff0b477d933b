package main

import (
	"bytes"
	"context"
	"net/http"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/tools/txtar"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/repo/build/packages/packagestest"
)

// needModule makes the shop depend on a module that is only in the story's registry and nowhere on this
// machine. With down, the registry has nothing.
func (s *story) needModule(cfg *stage.Config, down bool) {
	for i, f := range cfg.Files {
		if f.Name == "go.mod" {
			cfg.Files[i].Data = append(bytes.Clone(f.Data), "\n"+packagestest.Require()...)
		}
	}
	cfg.Files = append(cfg.Files,
		txtar.File{Name: "go.sum", Data: []byte(packagestest.Sums())},
		txtar.File{
			Name: "welcome/welcome.go",
			Data: []byte("// Package welcome greets customers.\npackage welcome\n\n" +
				"import \"example.com/greet\"\n\n// Word is the first.\nconst Word = greet.Hello\n"),
		},
	)
	network := packagestest.New(s.t)
	if err := network.AddVersion("v1.1.0"); err != nil {
		s.t.Fatal(err)
	}
	if s.packages = make(chan struct{}); down {
		network.Mux = http.NewServeMux()
	} else {
		network.Reached(func(context.Context) { <-s.packages })
	}
	adjust := cfg.Adjust
	cfg.Adjust = func(set *server.Settings) {
		adjust(set)
		set.Network = network
		if !down {
			set.NoticeAfter = 20 * time.Millisecond // the thread and the model are told of the wait
		}
		set.Repositories[0].Setup.Env = packagestest.Mirrors()
	}
}

// packagesCmd implements "packages": from now on the registry that the shop waits for answers.
func packagesCmd(_ context.Context, s *story, _ *testscript.TestScript, _ []string) error {
	close(s.packages)
	return nil
}
