module settings

go 1.24
