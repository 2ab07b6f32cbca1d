-- Functions of io, os and package that ask for permission behave with the permission as the functions of lua5.4 do. The output
-- of lua5.4 for this script is in libraries.txt.
local function show(...) local t = table.pack(...) for i=1,t.n do t[i]=tostring(t[i]):gsub("0x%x+","ADDR"):gsub("file %(ADDR%)","FILE") end print(table.concat(t," | ")) end
show(io.open("x.txt","w")) 
local f = io.open("x.txt","w+") show(f:write("a\nb\n","12 0x1p4 z")) show(f:seek("set")) show(f:read("l","L","n","n","a")) show(f:close()) show(tostring(f)) show(pcall(f.read,f))
show(io.open("nodir/x","w")) show(io.open("nofile")) show(pcall(io.open,"x.txt","rz")) show(pcall(io.open,"x.txt","")) show(pcall(io.open)) show(pcall(io.open,{})) show(io.type(io.open(("x.txt"),"rb")))
for a,b in io.lines("x.txt",1,"l") do show(a,b) end
show(select("#",io.lines("x.txt"))) show(pcall(io.lines,"nofile")) show(pcall(io.lines,"x.txt","q"))
show(pcall(function() for l in io.lines("x.txt","n") do show(l) end end))
local it,_,_,h = io.lines("x.txt") it() h:close() show(pcall(it))
do local g <close> = io.open("x.txt") show(g:read(0)) end
io.output("y.txt") io.write("hello ",1," ",2.5,"\n") io.close() io.output(io.stdout)
io.input("y.txt") show(io.read("l")) show(io.read("l")) io.close(io.input()) show(pcall(io.read)) io.input(io.stdin)
show(pcall(io.input,"nofile")) show(pcall(io.output,"nodir/z")) show(pcall(io.lines))
show(os.rename("y.txt","z.txt")) show(os.rename("y.txt","q.txt")) show(os.remove("z.txt")) show(os.remove("z.txt")) show(os.rename("x.txt","nodir/x"))
show(loadfile("nofile.lua")) show(pcall(dofile,"nofile.lua")) show(package.searchpath("x.y","./?.nope;./?/init.nope")) show(package.searchpath("chunk","./?.lua")) show(pcall(package.searchpath)) show(package.searchpath("a-b","?;;?.x","-","_"))
local p = io.popen("cat; exit 3","w") show(io.type(p)) show(p:close()) show(os.execute("exit 4")) show(os.execute("kill -9 $$")) show(pcall(io.popen,"true","rw")) show(os.execute())
show(io.popen("echo hi"):read("a")) show(os.getenv("NOPE_X")) show(pcall(os.getenv)) 
show(os.setlocale()) show(os.setlocale("C")) show(os.setlocale(nil,"numeric")) show(os.setlocale("xx_YY")) show(pcall(os.setlocale,"C","bad"))
local t = io.tmpfile() t:write("q") t:seek("set") show(t:read("a")) local n = os.tmpname() show(n:match("^/tmp/lua_")) show(os.remove(n))
local f = io.open("x.txt","a") f:write("!") show(f:seek("cur")) f:close() show(io.open("x.txt","r+"):read("a")) show(f.nope) show(pcall(function() return io.open("."):read("a") end))
local f <const> = io.open("x.txt") f:setvbuf("full",64) show(f:lines("L")()) show(f:read("x" and 2)) show(#f:read("a"))
show(io.open("x.txt"):write("no")) show(io.stdout:seek("cur") ~= 1)
local e=load(io.lines("chunk.lua","L")) show(e and e()) show(loadfile("chunk.lua","t",{x=9})())
