package proof

import (
	"context"
	"fmt"
	"maps"

	"github.com/bobbinhq/bobbin/repo/build/project"
)

// proveOthers proves the change with the other commands whose tests cover it, too, and with those of its test
// files that the project's own command leaves out, such as Go tests behind a build tag: these run alone.
func (p *proving) proveOthers(ctx context.Context) error {
	if p.isAlone || p.isOther {
		return nil
	}
	var all []*proving
	if tagged, ok := p.project.Tagged(p.work.FS(), p.tests.testFiles()); ok {
		all = append(all, &proving{project: tagged, isAlone: true})
	}
	for _, other := range p.others {
		all = append(all, &proving{project: other, isOther: true})
	}
	for _, also := range all {
		also.checker = p.checker
		also.work = p.work
		also.BaseName = p.BaseName
		also.splitFrom = p.splitFrom
		if err := also.runAndJudge(ctx); err != nil {
			return err
		}
		p.join(also.Proof, also.project)
		if p.tests.isEmpty() && !also.tests.isEmpty() && also.Missing == "" && also.Branch.TestsRan {
			p.Why = also.Why // it ran the tests that changed
		}
	}
	return nil
}

// join adds the results of tests that another command ran.
func (p *Proof) join(other Proof, by project.Project) {
	if other.Missing != "" || !other.Branch.TestsRan {
		why := fmt.Sprintf("`%s` could not be compared: %s", by.TestCommand(), other.Why)
		p.Others = append(p.Others, why)
		return
	}
	if !other.BuildOK {
		p.BuildOK = false
		p.Build = other.Build
	}
	p.Others = append(p.Others, other.branchLine())
	p.OwnTests.join(other.OwnTests)
	p.Regressions = append(p.Regressions, other.Regressions...)
	p.AlreadyFailing = append(p.AlreadyFailing, other.AlreadyFailing...)
	p.Rewritten = append(p.Rewritten, other.Rewritten...)
	p.CannotRun = append(p.CannotRun, other.CannotRun...)
	p.PassedBefore += other.PassedBefore
	p.StillPassing += other.StillPassing
	p.Expectations = append(p.Expectations, other.Expectations...)
	for name, note := range other.Notes {
		p.addNote(name, "%s", note)
	}
	p.GreenOnBranch = p.GreenOnBranch && other.GreenOnBranch
	p.Demonstrated = (p.Demonstrated || other.Demonstrated) && p.GreenOnBranch
	if other.Demonstrated || !other.GreenOnBranch {
		p.Why = other.Why
	}
}

func (o *OwnTests) join(other OwnTests) {
	o.NewTests = append(o.NewTests, other.NewTests...)
	o.Extended = append(o.Extended, other.Extended...)
	o.Changed = append(o.Changed, other.Changed...)
	o.RedOnBase = append(o.RedOnBase, other.RedOnBase...)
	o.Guards = append(o.Guards, other.Guards...)
	o.NotRed = append(o.NotRed, other.NotRed...)
	o.Fixed = append(o.Fixed, other.Fixed...)
	o.Cases.New += other.Cases.New
	o.Cases.Extended += other.Cases.Extended
	o.Cases.Guards += other.Cases.Guards
	o.Cases.StillRed += other.Cases.StillRed
	o.Cases.NowSkipped += other.Cases.NowSkipped
	if o.OnBranch == nil {
		o.OnBranch = map[string]OnBranch{}
	}
	maps.Copy(o.OnBranch, other.OnBranch)
}
