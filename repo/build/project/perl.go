package project

import "regexp"

// perlDist is a distribution of Perl.
var perlDist = language{
	whole:  true,
	kind:   "perl",
	find:   findPerl,
	isTest: isPerlTest,
	code:   regexp.MustCompile(`\.(?:pl|pm|t|xs|pod)$`),
}

func isPerlTest(file string, folders []string) bool {
	return regexp.MustCompile(`\.t$`).MatchString(file) || containsAny(folders, "t", "xt")
}

// findPerl finds the tests in t, which prove runs. A distribution with parts in C is built first.
func findPerl(t tree) Project {
	builder := t.hasFile("Build.PL")
	maker := t.hasFile("Makefile.PL")
	if !builder && !maker && !t.hasFile("cpanfile") && !t.hasFile("dist.ini") {
		return Project{}
	}
	p := Project{Kind: "perl"}
	switch {
	case maker:
		p.Build = "perl Makefile.PL && make"
	case builder:
		p.Build = "perl Build.PL && ./Build"
	}
	if t.hasDir("t") {
		p.Test = "prove -lr t"
		if p.Build != "" {
			p.Test = "prove -blr t"
		}
	}
	return p
}
