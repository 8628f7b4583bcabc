// Values in groups, and groups in groups: drag one into another; or choose some by click, tap or space, and say where they go.
const branch = {
  name: "shoal-branch",
  props: { node: Object, board: Object },
  computed: {
    below() { return this.node.below.filter((one) => one.isGroup || this.board.isShown(one.name)); },
    shown() { return this.below.slice(0, this.board.most); },
  },
  template: `
    <li class="group" :class="{over: board.over === node.name, chosen: board.chosen.has(node.name)}"
        @dragover.prevent.stop="board.over = node.name" @dragleave.stop="board.over = ''" @drop.prevent.stop="board.dropped(node.name)">
      <div class="group-head" :draggable="!node.isRoot" @dragstart.stop="board.dragged(node.name, $event)" @dragend="board.over = ''">
        <button v-if="!node.isRoot" type="button" class="grip" :aria-pressed="board.chosen.has(node.name) ? 'true' : 'false'"
                :aria-label="board.say('choose', node.name)" @click="board.toggle(node.name)">☰</button>
        <input type="text" class="group-name" :value="node.name" :aria-label="board.say('rename', node.name)" autocomplete="off" spellcheck="false"
               @change="board.rename(node.name, $event)">
        <span class="soft">{{ board.count(node) }}</span>
        <button v-if="!node.isRoot" type="button" class="btn quiet" :aria-label="board.say('dissolve', node.name)" @click="board.$emit('dissolved', node.name)">×</button>
      </div>
      <ul class="group-in">
        <template v-for="one in shown" :key="one.name">
          <shoal-branch v-if="one.isGroup" :node="one" :board="board"></shoal-branch>
          <li v-else><button type="button" class="chip" draggable="true" :aria-pressed="board.chosen.has(one.name) ? 'true' : 'false'" :title="board.count(one)"
                @click="board.toggle(one.name)" @dragstart.stop="board.dragged(one.name, $event)" @dragend="board.over = ''">{{ one.name }}</button></li>
        </template>
        <li v-if="below.length > shown.length" class="soft">{{ board.say('more', below.length - shown.length) }}</li>
      </ul>
    </li>`,
};
export default {
  components: { "shoal-branch": branch },
  template: `
    <div class="groups" role="group" :aria-label="texts.label">
      <div class="row end">
        <label class="field"><span class="field-label">{{ texts.search }}</span>
          <input type="search" v-model="wanted" autocomplete="off" spellcheck="false"></label>
        <button type="button" class="btn quiet" @click="chooseShown">{{ texts.all }}</button>
        <button type="button" class="btn quiet" :disabled="!chosen.size" @click="chosen = new Set()">{{ texts.none }}</button>
        <span class="soft" role="status">{{ say('chosen', chosen.size) }}</span>
      </div>
      <div class="row end">
        <label class="field"><span class="field-label">{{ texts.name }}</span>
          <input type="text" v-model="name" autocomplete="off" spellcheck="false" @keydown.enter.prevent="gather"></label>
        <button type="button" class="btn quiet" :disabled="!chosen.size || !name.trim()" @click="gather">{{ texts.gather }}</button>
        <label class="field"><span class="field-label">{{ texts.to }}</span>
          <select v-model="to"><option v-for="one in groups" :key="one" :value="one">{{ one }}</option></select></label>
        <button type="button" class="btn quiet" :disabled="!chosen.size || !to" @click="move(to)">{{ texts.move }}</button>
      </div>
      <p v-if="error" class="field-error" role="alert">{{ error }}</p>
      <ul class="group-tree"><shoal-branch :node="root" :board="board"></shoal-branch></ul>
    </div>`,
  props: { tree: Object, records: Object, texts: Object, problem: String },
  emits: ["moved", "gathered", "renamed", "dissolved"],
  data: () => ({ chosen: new Set(), over: "", wanted: "", name: "", to: "", error: "", held: "", most: 150 }),
  computed: {
    board() { return this; },
    root() {
      const made = (name, below, isRoot) => {
        const inside = Object.entries(below).map(([n, b]) => made(n, b, false)), records = this.records || {};
        const isGroup = isRoot || inside.length > 0;
        return { name, below: inside, isGroup, isRoot, values: isGroup ? inside.reduce((sum, one) => sum + one.values, 0) : 1,
          records: isGroup ? inside.reduce((sum, one) => sum + one.records, 0) : records[name] || 0 };
      };
      const [name, below] = Object.entries(this.tree)[0];
      return made(name, below, true);
    },
    names() { const found = []; const walk = (one) => { found.push(one); one.below.forEach(walk); }; walk(this.root); return found; },
    groups() { return this.names.filter((one) => one.isGroup).map((one) => one.name); },
  },
  watch: {
    tree() {
      const there = new Set(this.names.map((one) => one.name));
      this.chosen = new Set([...this.chosen].filter((one) => there.has(one)));
      if (!there.has(this.to)) this.to = "";
    },
    problem(now) { this.error = now || ""; },
  },
  methods: {
    say(key, what) { return this.texts[key].replace("{}", typeof what === "number" ? what.toLocaleString(document.documentElement.lang || "en") : what); },
    count(node) {
      const told = (n) => n.toLocaleString(document.documentElement.lang || "en");
      return node.isGroup ? this.texts.count.replace("{values}", told(node.values)).replace("{records}", told(node.records)) : this.texts.records.replace("{}", told(node.records));
    },
    isShown(name) { return !this.wanted || name.toLowerCase().includes(this.wanted.toLowerCase()); },
    toggle(name) { const now = new Set(this.chosen); if (!now.delete(name)) now.add(name); this.chosen = now; },
    chooseShown() { this.chosen = new Set(this.names.filter((one) => !one.isGroup && this.isShown(one.name)).map((one) => one.name)); },
    dragged(name, event) { this.held = name; event.dataTransfer.effectAllowed = "move"; event.dataTransfer.setData("text/plain", name); },
    dropped(to) {
      const what = this.chosen.has(this.held) ? [...this.chosen] : this.held ? [this.held] : [];
      this.over = this.held = "";
      if (what.length) { this.chosen = new Set(what); this.move(to); }
    },
    move(to) { this.error = ""; this.$emit("moved", { what: [...this.chosen], to }); this.chosen = new Set(); },
    gather() {
      const name = this.name.trim();
      if (!name || !this.chosen.size) return;
      if (this.names.some((one) => one.name === name)) { this.error = this.say("taken", name); return; }
      this.error = "";
      this.$emit("gathered", { what: [...this.chosen], name });
      this.chosen = new Set(); this.name = "";
    },
    rename(name, event) {
      const now = event.target.value.trim();
      if (now === name) return;
      if (!now || this.names.some((one) => one.name === now)) { this.error = this.say("taken", now); event.target.value = name; return; }
      this.error = "";
      this.$emit("renamed", { name, now });
    },
  },
};
