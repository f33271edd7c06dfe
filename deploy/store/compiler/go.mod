module compiler

go 1.19
