//go:build !linux

package sandbox

import (
	"context"
	"os"
	"syscall"
)

// Main has to be the first call of every main and TestMain, for commands with a way out;
// the kinds that need it besides need Linux.
func Main() { bridgeIfAsked() }

func newWay(_ context.Context, _ Config, kind string) (way, error) {
	return nil, &Unavailable{Kind: kind, Why: "it needs Linux", Cure: "run Bobbin in a Linux machine or container, or set sandbox kind none to run commands unconfined"}
}

func (s *Sandbox) prove(context.Context) error { return nil }

// Own does nothing: commands run as the caller.
func (s *Sandbox) Own(string) error { return nil }

func handOver(*os.File)                                                    {}
func reachable(string) bool                                                { return true }
func dieWithParent(*syscall.SysProcAttr)                                   {}
func tree(root int) []int                                                  { return []int{root} }
func treeUse(int) usage                                                    { return usage{} }
func watch(context.Context, func() usage, Limits, context.CancelCauseFunc) {}
