module throttle

go 1.24
