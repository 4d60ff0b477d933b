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

// There are no control groups, and nobody watches the disk.
type (
	groups struct{}
	group  struct{}
	disk   struct{}
)

func findGroups() *groups                   { return nil }
func (*groups) describe() string            { return "no limits but time and output" }
func (*groups) group(Limits) *group         { return nil }
func (*group) placeIn(*syscall.SysProcAttr) {}
func (*group) starved() bool                { return false }
func (*group) kill()                        {}
func (*group) remove()                      {}

func (*group) start(begin func() (process, error)) (process, error) { return begin() }

func isFirstThread() bool { return false }

func newDisk(*job) *disk                                      { return nil }
func (*disk) room() error                                     { return nil }
func (*disk) watch(context.Context, int, func(reason string)) {}
func (*disk) excess(int, bool) string                         { return "" }
func (*disk) close()                                          {}

func handOver(*os.File)                                                  {}
func reachable(string) bool                                              { return true }
func dieWithParent(*syscall.SysProcAttr)                                 {}
func tree(root int) []int                                                { return []int{root} }
func treeUse(int) usage                                                  { return usage{} }
func watch(context.Context, func() usage, *job, context.CancelCauseFunc) {}
