package proof

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bobbinhq/bobbin/repo/build/result"
)

// alignedTo numbers the tests that share a name so that as many as possible have the status that the test of
// that number has in the first of the other results, and then in the next. Their order says nothing: a runner
// may run them in another order each time. So of tests with one name only the counts are compared.
func (x index) alignedTo(others ...index) index {
	numbers := map[key]int{}
	for first, statuses := range x.shared {
		top := len(statuses)
		for _, o := range others {
			top = max(top, o.top[first])
		}
		if top > 1 {
			x.number(first, top, others, numbers)
		}
	}
	return numberedIndex(x.Result, numbers)
}

// number finds the numbers of the tests that share the name of first, and stores them by the keys that the
// tests have in the order of the result. top is the number of tests that the name has in any of the results.
func (x index) number(first key, top int, others []index, numbers map[key]int) {
	number := func(k key, nth int) key {
		k.nth = nth
		return k
	}
	taken := make([]bool, top)
	for _, other := range others {
		free := map[result.Status][]int{}
		for nth := range top {
			if s := other.statusOf(number(first, nth)); s != "" && !taken[nth] {
				free[s] = append(free[s], nth)
			}
		}
		for i, s := range x.shared[first] {
			k := number(first, i)
			if _, known := numbers[k]; !known && len(free[s]) > 0 {
				numbers[k], taken[free[s][0]], free[s] = free[s][0], true, free[s][1:]
			}
		}
	}
	x.numberOthers(first, taken, others, numbers)
}

// numberOthers numbers the tests whose statuses no other result has, so that they claim least: a test that
// passed before is paired with one that fails rather than with one that passes, and one that fails on the
// base with one that is skipped on the branch.
func (x index) numberOthers(first key, taken []bool, others []index, numbers map[key]int) {
	var slots, left []key
	status := map[key]result.Status{}
	for nth, is := range taken {
		k := key{first.group, first.name, nth}
		for _, other := range others { // the last one decides
			status[k] = cmp.Or(other.statusOf(k), status[k])
		}
		if !is && status[k] != "" {
			slots = append(slots, k)
		}
	}
	rank := map[result.Status]int{result.Skipped: 0, result.Passed: 1, result.Failed: 2}
	slices.SortStableFunc(slots, func(a, b key) int { return rank[status[a]] - rank[status[b]] })
	have := map[key]result.Status{}
	for i, s := range x.shared[first] {
		k := key{first.group, first.name, i}
		if _, known := numbers[k]; !known {
			left = append(left, k)
			have[k] = s
		}
	}
	worst := map[result.Status]int{result.Failed: 0, result.Skipped: 1, result.Passed: 2}
	slices.SortStableFunc(left, func(a, b key) int { return worst[have[a]] - worst[have[b]] })
	for _, slot := range slots {
		switch {
		case len(left) == 0:
			return
		case status[slot] == result.Failed:
			numbers[left[len(left)-1]] = slot.nth
			left = left[:len(left)-1]
		default:
			numbers[left[0]] = slot.nth
			left = left[1:]
		}
		taken[slot.nth] = true
	}
	nth := 0
	for _, k := range left {
		for nth < len(taken) && taken[nth] {
			nth++
		}
		numbers[k] = nth
		nth++
	}
}

// movedTests pairs each test of the base that the branch no longer has with a test of the same name in
// another group that the base has not; one with the same status if there is any.
func movedTests(base, branch index) map[key]key {
	type kind struct {
		name   string
		status result.Status
	}
	fresh := map[kind][]key{}
	moved := map[key]key{}
	for _, k := range branch.order {
		if base.statusOf(k) == "" {
			fresh[kind{k.name, branch.statusOf(k)}] = append(fresh[kind{k.name, branch.statusOf(k)}], k)
		}
	}
	for _, same := range []bool{true, false} {
		for _, k := range base.order {
			if _, known := moved[k]; known || branch.statusOf(k) != "" {
				continue
			}
			for _, s := range []result.Status{result.Passed, result.Failed, result.Skipped} {
				of := kind{k.name, s}
				if (!same || s == base.statusOf(k)) && len(fresh[of]) > 0 {
					moved[k], fresh[of] = fresh[of][0], fresh[of][1:]
					break
				}
			}
		}
	}
	return moved
}

// countOnBranch counts a case of a new test by its statuses on the base and on the branch.
func (p *proving) countOnBranch(label string, before, now result.Status) {
	if p.OnBranch == nil {
		p.OnBranch = map[string]OnBranch{}
	}
	c := p.OnBranch[label]
	c.Count(now)
	if before == result.Failed && now == result.Skipped {
		c.NowSkipped++
	}
	p.OnBranch[label] = c
}

// countEach returns each text once, with its number, in the order of their first appearance.
func countEach(texts []string, write func(text string, n int) string) (out []string) {
	count := map[string]int{}
	for _, text := range texts {
		count[text]++
	}
	for _, text := range texts {
		if n := count[text]; n > 0 {
			out = append(out, write(text, n))
			count[text] = 0
		}
	}
	return out
}

// ofEachName returns names in which each stands once, with how many tests of that name there are.
func ofEachName(names []string) []string {
	return countEach(names, timesName)
}

func timesName(name string, n int) string {
	if n == 1 {
		return name
	}
	return fmt.Sprintf("%s (%d of that name)", name, n)
}
