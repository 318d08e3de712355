//! Ordinary scripts of old pages, run against the bindings.

use super::execute::Ended;
use crate::browser::rig::{Rig, site, with};
use serde_json::json;

/// Each expression's value on one page.
fn check(html: &str, cases: &[(&str, &str)]) {
    Rig::show(html, |rig| {
        for (source, expected) in cases {
            assert_eq!(rig.eval(source), *expected, "{source}");
        }
    });
}

#[test]
fn the_tree_is_reached_and_changed_as_old_scripts_do() {
    check(
        "<body><div id=a class=k title=t><b>x</b>y</div><p id=p>1<!--c--></p><ul id=l><li>1<li>2</ul></body>",
        &[
            ("document.getElementById('a').tagName", "DIV"),
            ("document.getElementById('a').innerHTML", "<b>x</b>y"),
            ("document.getElementById('a') === document.all.a", "true"),
            ("document.all('a').title + document.all.item('a').className", "tk"),
            ("document.getElementById('none') === null", "true"),
            ("document.getElementsByTagName('li').length", "2"),
            ("document.getElementsByTagName('li')[1].innerText", "2"),
            ("document.body.firstChild.nodeName", "DIV"),
            ("a.expando = 5; document.getElementById('a').expando", "5"),
            (
                "var d = document.createElement('li'); d.innerHTML = '3'; l.appendChild(d); l.lastChild.innerText",
                "3",
            ),
            ("l.removeChild(l.firstChild); l.children.length", "2"),
            ("var c = l.childNodes, n = 0; while (c.length) { l.removeChild(c[0]); n++ } n", "2"),
            ("p.childNodes.length + ':' + p.lastChild.nodeType + p.lastChild.nodeValue", "2:8c"),
            (
                "p.insertAdjacentHTML('beforeEnd', '<i id=new>z</i>'); document.getElementById('new').parentNode.id",
                "p",
            ),
            ("p.outerHTML.toLowerCase().indexOf('<p')", "0"),
            ("a.style.display", ""),
            (
                "a.style.display = 'none'; a.style.backgroundColor = 'red'; a.getAttribute('style')",
                "display: none; background-color: red;",
            ),
            ("a.currentStyle.display", "none"),
            ("a.style.display = ''; a.currentStyle.display + a.style.cssText", "blockbackground-color: red;"),
            ("a.setAttribute('data-x', 1); a.getAttribute('data-x')", "1"),
            ("a.contains(a.firstChild) + '' + a.contains(p)", "truefalse"),
            ("typeof nosuch", "undefined"),
            ("nosuch", "error: 'nosuch' is undefined"),
            ("document.nosuch", "undefined"),
            ("p.nosuch()", "error: Object doesn't support this property or method"),
            ("document.title = 'new'; document.title", ""),
        ],
    );
}

#[test]
fn elements_are_globals_and_members_of_their_form() {
    check(
        "<form name=f><input name=user value=u><input name=pick type=radio value=1><input name=pick type=radio value=2 checked>\
         <input name=submit type=button></form><img name=pic><div id=box>b</div>",
        &[
            ("document.f.user.value", "u"),
            ("document.forms.f === document.f && document.forms[0] === f", "true"),
            ("f.elements.length", "4"),
            ("f.pick.length + f.pick[1].value + f.pick[1].checked", "22true"),
            ("f.pick[0].checked = true; f.pick[1].checked", "false"),
            ("f.submit.type", "button"),
            ("document.pic.tagName", "IMG"),
            ("box.innerText", "b"),
            ("var box = 3; box", "3"),
            (
                "var late = document.createElement('p'); late.id = 'late'; document.body.appendChild(late); window.late.tagName",
                "P",
            ),
            ("f.user.form === f", "true"),
            ("'user' in f && f.elements['user'].name", "user"),
            ("var s = ''; for (var k in f.elements) s += k + ','; s", "length,0,1,2,3,"),
        ],
    );
}

#[test]
fn lists_can_be_called_up_to_mode_8() {
    let page = |mode: &str| {
        format!(
            "<meta http-equiv=X-UA-Compatible content=IE={mode}><table id=t><tr><td>1<td>2</table>\
             <form name=f><input name=a></form>"
        )
    };
    check(&page("5"), &[("t.rows(0).cells(1).innerText + document.forms('f').elements('a').name", "2a")]);
    check(&page("11"), &[("typeof t.rows", "object"), ("document.all('t').tagName", "TABLE")]);
}

#[test]
fn selects_are_filled_by_script() {
    check(
        "<select id=s name=s><option value=1>a<option value=2 selected>b</select>",
        &[
            ("s.value + s.selectedIndex + s.options[s.selectedIndex].text", "21b"),
            ("s.options.length = 0; s.length", "0"),
            (
                "for (var i = 0; i < 3; i++) s.options[i] = new Option('n' + i, 'v' + i); s.options.length",
                "3",
            ),
            ("s.options[2].selected = true; s.value", "v2"),
            ("s.add(new Option('last', 'l')); s.options[3].value", "l"),
            ("s.remove(0); s.options[0].text", "n1"),
            ("s.options.add(new Option('first', 'f'), 0); s.options[0].value", "f"),
            ("s.options[0] = null; s.options.length", "3"),
            ("s.selectedIndex = 1; s.options.selectedIndex", "1"),
            ("s.options[0].index + s.type", "0select-one"),
        ],
    );
}

#[test]
fn tables_are_built_row_by_row() {
    check(
        "<table id=t><tr><td>a</td></tr></table>",
        &[
            ("var r = t.insertRow(); var c = r.insertCell(); c.innerText = 'b'; t.rows.length", "2"),
            ("t.rows[1].cells[0].innerText + t.rows[1].rowIndex", "b1"),
            (
                "var z = t.insertRow(0); z.insertCell(0).innerHTML = 'z'; z.insertCell(0).innerHTML = 'y'; t.rows[0].cells[1].cellIndex + t.rows[0].innerText.charAt(0)",
                "1y",
            ),
            ("t.deleteRow(0); t.rows[0].cells[0].innerText", "a"),
            ("t.tBodies.length + t.rows[0].parentNode.tagName", "1TBODY"),
        ],
    );
}

#[test]
fn events_reach_handlers_in_the_manner_of_the_mode() {
    let page = |mode: u32| {
        format!(
            "<meta http-equiv=X-UA-Compatible content=IE={mode}><body><div id=out onclick=\"log('out')\">\
             <button type=button id=b onclick=\"log('attr' + this.id + (window.event ? window.event.srcElement.id : ''))\">b</button>\
             </div><script>var said = ''; function log(t) {{ said += t + ' ' }}</script>"
        )
    };
    Rig::show(&page(5), |rig| {
        rig.eval(
            "b.attachEvent('onclick', function (e) { log('one' + (this === window) + e.srcElement.id) })",
        );
        rig.eval("b.attachEvent('onclick', function () { log('two') })");
        rig.click("#b");
        assert_eq!(rig.eval("said"), "attrbb two onetrueb out ");
        assert_eq!(rig.eval("typeof b.addEventListener"), "undefined");
        assert_eq!(rig.eval("said = ''; b.fireEvent('onclick'); said"), "attrbb two onetrueb out ");
        rig.eval("said = ''; b.onclick = function () { log(arguments.length); event.cancelBubble = true }; b.click()");
        assert_eq!(rig.eval("said"), "0 two onetrueb ");
    });
    Rig::show(&page(11), |rig| {
        rig.eval(
            "document.addEventListener('click', function () { log('capture') }, true);\
             b.addEventListener('click', function (e) { log('one' + (this === b) + e.target.id + e.eventPhase) }, false);\
             b.addEventListener('click', function (e) { e.stopPropagation(); log('two') }, false)",
        );
        rig.click("#b");
        assert_eq!(rig.eval("said"), "capture attrbb onetrueb2 two ");
        assert_eq!(rig.eval("typeof b.attachEvent"), "undefined");
        rig.eval(
            "said = ''; var e = document.createEvent('HTMLEvents'); e.initEvent('custom', true, true);\
             out.addEventListener('custom', function (e) { log(e.type); e.preventDefault() }); log(b.dispatchEvent(e))",
        );
        assert_eq!(rig.eval("said"), "custom false ");
    });
}

#[test]
fn a_broken_handler_reaches_onerror_and_not_the_page() {
    Rig::show(
        "<script>var seen = ''; window.onerror = function (text) { seen += text + ';'; return true }</script>\
         <button id=b type=button onclick='nosuch()'>b</button><button id=c type=button onclick='if ('>c</button>\
         <button id=d type=button onclick='}; seen = 1; {'>d</button>",
        |rig| {
            rig.click("#b");
            rig.click("#c");
            rig.click("#d");
            assert_eq!(rig.eval("seen"), "'nosuch' is undefined;Syntax error;Syntax error;");
        },
    );
}

#[test]
fn handler_attributes_see_element_form_and_document() {
    Rig::show(
        "<form name=f><input name=a value=x><input id=b type=button value=v onclick='a.value = value + this.id + forms.length'></form>",
        |rig| {
            rig.click("#b");
            assert_eq!(rig.eval("document.f.a.value"), "vb1");
        },
    );
}

#[test]
fn boxes_change_before_their_handlers_and_back_if_prevented() {
    Rig::show(
        "<!doctype html><script>var said = ''</script><input type=checkbox id=a onclick='said += this.checked' onchange='said += \"!\"'>\
         <input type=checkbox id=b onclick='return false'><input type=radio name=r id=r1 checked><input type=radio name=r id=r2>\
         <label for=a id=l>l</label>",
        |rig| {
            rig.click("#a");
            assert_eq!(rig.eval("said + a.checked"), "true!true");
            rig.click("#b");
            assert_eq!(rig.eval("b.checked"), "false");
            rig.click("#r2");
            assert_eq!(rig.eval("r1.checked + ' ' + r2.checked"), "false true");
            rig.click("#l");
            assert_eq!(rig.eval("a.checked"), "false");
        },
    );
}

#[test]
fn timers_run_in_order_and_can_be_stopped() {
    Rig::show(
        "<script>var s = ''; setTimeout('s += 2', 20); setTimeout(function () { s += 1 }, 10); var i = setInterval(function () { s += 'i'; if (s.length > 4) clearInterval(i) }, 30)</script>",
        |rig| {
            rig.pass(15);
            assert_eq!(rig.eval("s"), "1");
            rig.pass(500);
            assert_eq!(rig.eval("s"), "12iii");
        },
    );
}

#[test]
fn dialogs_wait_for_their_answer() {
    Rig::show(
        "<button id=b type=button onclick=\"alert('a'); r = confirm('c') + '/' + prompt('p', 'd') + '/' + prompt('q')\">b</button><script>var r</script>",
        |rig| {
            rig.answers.borrow_mut().extend([Some(""), None, Some("山"), None]);
            rig.click("#b");
            assert_eq!(rig.eval("r"), "false/山/null");
            assert_eq!(*rig.dialogs.borrow(), ["Alert: a", "Confirm: c", "Prompt: p", "Prompt: q"]);
        },
    );
}

#[test]
fn what_a_script_writes_is_there_at_once() {
    Rig::show(
        "<body><script>document.write('<p id=w>' + 1 + '</p><script>var nested = document.getElementById(\"w\").innerHTML + 2<\\/script>');\
         var found = document.getElementById('w') !== null</script><i id=after>x</i>",
        |rig| {
            assert_eq!(rig.eval("found + nested + after.innerHTML"), "true12x");
            assert_eq!(rig.eval("w.nextSibling.tagName"), "SCRIPT");
            assert_eq!(
                rig.eval("document.write('<b id=n>new</b>'); document.close(); document.body.innerHTML"),
                "<b id=\"n\">new</b>"
            );
        },
    );
}

#[test]
fn requests_of_scripts_answer_at_once_or_later() {
    let pages = [
        (
            "/",
            "<meta http-equiv=X-UA-Compatible content=IE=5><script>var x = new ActiveXObject('Microsoft.XMLHTTP'); x.open('GET', 'data', false); x.send(); var got = x.responseText + x.status;\
               var y = new XMLHttpRequest(); y.onreadystatechange = function () { if (y.readyState == 4) got += y.responseText }; y.open('POST', 'data'); y.send('b=1')</script>",
        ),
        ("/data", "D"),
    ];
    with(site(&pages), |rig| {
        rig.go("/");
        assert_eq!(rig.eval("got"), "D200");
        rig.pass(1);
        assert_eq!(rig.eval("got"), "D200D");
        assert_eq!(rig.requests().last().unwrap(), "POST /data b=1");
        assert_eq!(
            rig.eval("try { new ActiveXObject('Word.Application') } catch (e) { e.message }"),
            "Automation server can't create object"
        );
    });
}

#[test]
fn scripts_of_clients_take_and_give_values_and_elements_in_every_mode() {
    for mode in [5, 7, 8, 9, 10, 11] {
        let html = format!(
            "<html><head><meta http-equiv=X-UA-Compatible content=IE={mode}></head><body><p id=p>t</p><form id=f><input name=length></form></body></html>"
        );
        Rig::show(&html, |rig| {
            let run = |script: &str| {
                rig.execute(
                    script,
                    &json!([rig.reference("#p"), [1.5, "x", null], {"k": rig.reference("#p")}]),
                )
            };
            assert_eq!(
                run(
                    "return arguments[0] === document.getElementById('p') && arguments[2].k === arguments[0]"
                ),
                Ok(json!(true))
            );
            assert_eq!(
                run(
                    "return [arguments[1].length, arguments.length, document.documentMode, this === window] // end"
                ),
                Ok(json!([3, 3, mode, true]))
            );
            assert_eq!(
                run("return {a: 1.0, b: undefined, c: function () {}, d: [{}]}"),
                Ok(json!({"a": 1, "b": null, "c": null, "d": [{}]}))
            );
            assert_eq!(
                run("return [document.getElementById('p'), document.getElementsByTagName('p')]").unwrap()[1]
                    [0],
                run("return p").unwrap()
            );
            assert_eq!(run("return window"), Err(Ended::Thrown("Error executing JavaScript".into())));
            assert_eq!(run("return nosuch"), Err(Ended::Thrown("'nosuch' is undefined".into())));
            assert_eq!(run("return )"), Err(Ended::Thrown("Syntax error".into())));
            assert_eq!(run("} function () {"), Err(Ended::Thrown("Syntax error".into())));
            assert_eq!(run("return (() => 1)()"), Err(Ended::Thrown("Syntax error".into())));
            assert_eq!(run("return `t`"), Err(Ended::Thrown("Invalid character".into())));
            assert_eq!(run("return [1,].length"), Ok(json!(if mode <= 8 { 2 } else { 1 })));
            assert_eq!(run("while (true) {}"), Err(Ended::TimedOut));
            assert_eq!(
                run("return document.getElementById('f')").unwrap().as_object().unwrap().len(),
                1,
                "a form with a field named length"
            );
        });
    }
}

#[test]
fn asynchronous_scripts_end_at_their_callback_their_limit_or_a_new_page() {
    let pages = [("/", "<script>var n = 0</script>"), ("/next", "n")];
    with(site(&pages), |rig| {
        rig.go("/");
        assert_eq!(rig.execute_async("arguments[0](5)", 1000), Ok(json!(5)));
        assert_eq!(
            rig.execute_async("var done = arguments[0]; setTimeout(function () { n++; setTimeout(function () { done([n]) }, 500) }, 400)", 1000),
            Ok(json!([1]))
        );
        assert_eq!(rig.execute_async("n = 9", 1000), Err(Ended::TimedOut));
        assert_eq!(rig.execute_async("throw new Error('own')", 1000), Err(Ended::Thrown("own".into())));
        assert_eq!(rig.execute_async("location.href = 'next'", 1000), Err(Ended::Reloaded));
    });
}
