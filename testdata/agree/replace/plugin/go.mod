module example.test/plugin

go 1.26

require example.test/core v0.0.0

replace example.test/core => ../
