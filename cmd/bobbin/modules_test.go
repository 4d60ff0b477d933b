package main

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/tools/txtar"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/repo/build/packages/packagestest"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
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

// advisory says that example.com/greet is affected before v1.1.0.
const advisory = `{"id": "GO-2026-10001", "aliases": ["CVE-2026-10001"], "summary": "Greetings are rude",
	"affected": [{"package": {"ecosystem": "Go", "name": "example.com/greet"},
	"ranges": [{"type": "SEMVER", "events": [{"introduced": "0"}, {"fixed": "1.1.0"}]}]}]}`

// knowAdvisory gives the shop a folder of advisories.
func (s *story) knowAdvisory(cfg *stage.Config) {
	dir := s.t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "GO-2026-10001.json"), []byte(advisory), 0o644); err != nil {
		s.t.Fatal(err)
	}
	adjust := cfg.Adjust
	cfg.Adjust = func(set *server.Settings) {
		adjust(set)
		set.Repositories[0].Setup.Advisories = dir
	}
}

// weights is the content of the shop's file that Git LFS keeps.
const weights = "the weights of the model\n"

// keepInLFS gives the shop a file that Git LFS keeps.
func keepInLFS(cfg *stage.Config) {
	cfg.Files = append(cfg.Files,
		txtar.File{Name: ".gitattributes", Data: []byte("*.bin filter=lfs diff=lfs merge=lfs -text\n")},
		txtar.File{Name: "data/model.bin", Data: []byte(remotetest.Pointer(weights))},
	)
}

// storeLFS stores the content of that file beside the bare repository of the shop.
func storeLFS(repository string) error {
	oid := remotetest.OID(weights)
	dir := filepath.Join(repository, "lfs", "objects", oid[:2], oid[2:4])
	return errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, oid), []byte(weights), 0o644))
}

// packagesCmd implements "packages": from now on the registry that the shop waits for answers.
func packagesCmd(_ context.Context, s *story, _ *testscript.TestScript, _ []string) error {
	close(s.packages)
	return nil
}
